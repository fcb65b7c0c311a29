// world.cpp: provides all extensions, with LibTorch for files that are built against it, otherwise
// with the null backend.
#include "world.hpp"

#include "abi/extensions.hpp"
#include "manifest/component.hpp"
#include "replay/extensions.hpp"
#include "runtime/extensions.hpp"
#include "session/log_dir.hpp"
#include "session/ui.hpp"
#include "tower/extensions.hpp"
#include "train/trainer.hpp"

namespace broch::check {

namespace {

std::shared_ptr<runtime::Backend> backend_for(Subject& subject) {
  if (auto torch = subject.backend_of_file()) return torch;
  return runtime::make_null_backend();
}

}  // namespace

World::World(Subject& subject)
    : subject_(subject),
      backend_(backend_for(subject)),
      variables_(*backend_, 1),
      hypers_(variables_, runtime::Device{}),
      checkpoints_("checkpoints") {
  progress_.struct_size = sizeof progress_;
  progress_.is_chief = 1;
  towers_.backend = backend_.get();
  towers_.variables = &variables_;
  towers_.hypers = &hypers_;
  abi::register_extensions(context_);
  runtime::register_extensions(context_);
  tower::register_extensions(context_);
  replay::register_extensions(context_);
  tower::register_torch_cxx(context_, *backend_);
  train::register_extensions(context_);
  session::extend_with_log_dir(context_);
  session::extend_with_checkpoints(context_);
  session::extend_with_ui(context_);
  context_.provide(backend_.get());
  context_.provide(&variables_);
  context_.provide(&hypers_);
  context_.provide(&towers_);
  context_.provide(&progress_);
  context_.provide(&seeds_);
  context_.provide(&checkpoints_);
  context_.provide(const_cast<broch_cancel*>(interrupt_.token()));
}

std::unique_ptr<Made> World::make(manifest::Component component) {
  auto made = std::make_unique<Made>();
  made->component = std::move(component);
  made->instances = std::make_unique<session::Instances>(
      context_, subject_.catalog(), subject_.kinds(),
      [](const std::string&) { return std::optional<double>(); });
  made->instances->announce({&made->component});
  made->instance = &made->instances->make(made->component);
  return made;
}

manifest::Component entry_of(Subject& subject, const manifest::Value& options) {
  using manifest::Value;
  Value entry{Value::Object{}};
  entry.set("use", Value(subject.id()));
  entry.set("with", options);
  entry.set("name", Value(std::string("subject")));
  return manifest::resolve_component(entry, subject.component().role, subject.kinds(), "");
}

}  // namespace broch::check
