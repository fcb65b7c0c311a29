// workbench.cpp: provides all extensions, as a run does.
#include "session/workbench.hpp"

#include "session/preconditions.hpp"
#include "tower/extensions.hpp"

namespace broch::session {

Workbench::Workbench(const plugins::Catalog& catalog, const Kinds& kinds,
                     std::shared_ptr<runtime::Backend> backend, uint64_t seed)
    : catalog_(catalog),
      kinds_(kinds),
      backend_(backend ? std::move(backend) : runtime::make_null_backend()),
      variables_(*backend_, 1),
      hypers_(variables_, runtime::Device{}),
      seeds_{seed, 0},
      checkpoints_("checkpoints") {
  progress_.struct_size = sizeof progress_;
  progress_.is_chief = 1;
  towers_.backend = backend_.get();
  towers_.variables = &variables_;
  towers_.hypers = &hypers_;
  extend_with_all(context_);
  tower::register_torch_cxx(context_, *backend_);
  context_.provide(backend_.get());
  context_.provide(&variables_);
  context_.provide(&hypers_);
  context_.provide(&towers_);
  context_.provide(&progress_);
  context_.provide(&seeds_);
  context_.provide(&checkpoints_);
  context_.provide(const_cast<broch_cancel*>(interrupt_.token()));
}

std::unique_ptr<Made> Workbench::make(manifest::Component component) {
  auto made = std::make_unique<Made>();
  made->component = std::move(component);
  made->instances = std::make_unique<Instances>(
      context_, catalog_, kinds_, [](const std::string&) { return std::optional<double>(); });
  made->instances->announce({&made->component});
  made->instance = &made->instances->make(made->component);
  return made;
}

}  // namespace broch::session
