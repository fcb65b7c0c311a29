// trainer_setup.cpp: the phases before the first step: graph, callbacks, values of variables.
#include <algorithm>

#include "abi/environment.hpp"
#include "base/log.hpp"
#include "broch/ext/variables.h"
#include "rank_checks.hpp"
#include "tower/shapes_only.hpp"
#include "train/trainable_table.hpp"
#include "train/trainer.hpp"
#include "update_warnings.hpp"

namespace broch::train {

namespace {

bool has_made(const abi::Instance& instance, const runtime::Variable& variable) {
  return variable.made_by == instance.label() ||
         std::ranges::any_of(instance.children(), [&](const abi::Instance::Child& child) {
           return child.owned && has_made(*child.owned, variable);
         });
}

}  // namespace

void Trainer::setup_graph() {
  phases_.enter("setup_graph");
  global_step_ = {*parts_.variables, "global_step", 0, "the step counter"};
  abi::Environment environment;
  if (input_) {
    input_->setup(towers_ ? towers_->signature() : std::vector<abi::InputSpec>{},
                  parts_.provided_inputs);
    environment.check(*parts_.input, "setup");
  }
  if (abi::Callback::plays(*parts_.trainer))
    own_slot_ = std::make_unique<PluginSlot>(*parts_.trainer);
  role_.setup_graph();
  environment.check(*parts_.trainer, "setup_graph");
  plans_.require_sealed();
  default_plan_ = plans_.first_of(*parts_.trainer);
  require_step();
  declare_averages();
  optimizers_.build();
  plans_.bind_buffers();
}

void Trainer::require_step() const {
  if (default_plan_ || role_.has_run_step()) return;
  throw base::Error{base::Exit::plugin,
                    {abi::describe(*parts_.trainer), "neither a plan nor a run_step", "one of them",
                     "add a plan in setup_graph"}};
}

// One more call of the main tower on its example shows which moving averages it has.
void Trainer::declare_averages() {
  averages_.declare(*parts_.variables, plans_.averages(), "moving averages of gradients");
  tower::Tower* main = towers_ ? towers_->training(0) : nullptr;
  if (!main || main->registration().summaries.empty()) return;
  tower::RunInputs inputs;
  inputs.inputs = towers_->example(main->spec().device);
  const tower::ShapesOnly no_host_code(true);
  averages_.declare(*parts_.variables, main->run(std::move(inputs), /*gradients=*/false).moving,
                    "moving averages");
}

void Trainer::setup_callbacks() {
  phases_.require("setup_graph", "setup_callbacks");
  phases_.enter("setup_callbacks");
  const std::string table = trainable_table(*parts_.variables, plans_.remarks());
  if (!table.empty()) base::info(table);
  if (table.empty() && towers_) base::warning("No trainable variables in the graph!");
  phase_ = Phase::callbacks;
  add_callbacks();
  const size_t first = parts_.variables->all().size();
  callbacks_.setup_graph();
  if (parts_.group) set_chief_apart(first);
  plans_.require_sealed();
  optimizers_.build();
  plans_.bind_buffers();
  runs_.resolve(names());
  if (servers_.is_one()) return;
  if (!parts_.backend->is_null()) plans_.average_costs(costs_);
  if (!towers_) return;
  warn_of_unrun_updates(*towers_, executor_);
  warn_of_unreached_updates(*towers_, plans_, runs_);
}

// Other ranks lack the variables that callbacks of rank 0 alone have made, so these are LOCAL. A
// hyper-parameter never is, nor what an instance has made that has another part on all ranks.
void Trainer::set_chief_apart(size_t first) {
  const auto& slots = callbacks_.slots();
  const auto& variables = parts_.variables->all();
  const auto is_everywhere = [&](const abi::Instance& one) {
    return std::ranges::any_of(
        slots, [&](const auto& slot) { return slot->instance() == &one && !slot->chief_only; });
  };
  for (const auto& slot : slots) {
    if (!slot->chief_only || !slot->instance() || is_everywhere(*slot->instance())) continue;
    for (size_t i = first; i < variables.size(); ++i)
      if (has_made(*slot->instance(), *variables[i]) && !parts_.hypers->has(variables[i]->name))
        variables[i]->flags |= BROCH_VARIABLE_LOCAL;
  }
}

std::vector<std::string> Trainer::metric_names() const {
  std::vector<std::string> names = averages_.names();
  for (const auto& [name, state] : costs_.states()) names.push_back(name);
  for (const std::string& name : parts_.hypers->names()) names.push_back(name);
  if (const tower::Tower* main = towers_ ? towers_->training(0) : nullptr)
    for (const std::string& name : main->registration().summaries)
      for (const char* kind : {"", "-sparsity", "-mean", "-rms"})
        names.push_back(clean_tag(name + kind));
  return names;
}

void Trainer::initialize(bool skips_session_init) {
  phases_.require("setup_callbacks", "initialize");
  phases_.enter("initialize");
  if (!skips_session_init)
    for (abi::Instance* init : parts_.session_inits) {
      if (parts_.progress->is_chief)
        abi::SessionInit::make(*init).init();
      else
        base::warning(abi::describe(*init) + " runs on the chief only; this rank gets its values");
    }
  // any() waits without a limit for rank 0, which may have loaded weights for long.
  if (parts_.group) {
    parts_.group->any(false);
    require_same_seed(*parts_.group, parts_.run_context->root_seed);
    require_same_plans(*parts_.group, *parts_.variables, plans_);
  }
  if (servers_.exist()) {
    parts_.everyone->any(false);
    require_same_served(*parts_.everyone, plans_, *parts_.hypers, *parts_.trainer);
  }
  parts_.variables->seal();
  parts_.hypers->refresh();
  phase_ = Phase::ready;
}

}  // namespace broch::train
