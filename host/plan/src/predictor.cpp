// predictor.cpp: makes inference towers and calls them.
#include "plan/predictor.hpp"

#include <algorithm>

#include "abi/guard.hpp"
#include "abi/serve.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::plan {

namespace {

[[noreturn]] void refuse_unknown(const tower::Tower& tower, const std::string& name,
                                 const char* expected) {
  const std::vector<std::string>& names = tower.published_names();
  throw abi::UnknownName("predictor of tower '" + tower.spec().name + "': found the name " +
                         base::quoted(name) + ", expected " + expected +
                         base::did_you_mean(name, names) +
                         "\n  hint: there are: " + base::join(names, ", "));
}

}  // namespace

Predictor::Predictor(tower::Tower& tower, runtime::VariableStore& variables,
                     const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs)
    : tower_(tower), runner_(tower), inputs_(inputs), names_(outputs) {
  for (const std::string& name : inputs_) {
    if (!tower_.publishes(name)) refuse_unknown(tower_, name, "an input or a published name");
    if (std::ranges::count(inputs_, name) > 1)
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT, "predictor of tower '" + tower_.spec().name +
                                                         "': the name " + base::quoted(name) +
                                                         " is to be fed twice, expected once"};
  }
  for (const std::string& name : outputs) add_output(name, variables);
}

void Predictor::add_output(const std::string& name, runtime::VariableStore& variables) {
  const int index = tower_.index_of(name);
  if (index >= 0) {
    require_inputs(name);
    outputs_.push_back({static_cast<size_t>(index), nullptr});
  } else if (runtime::Variable* variable = variables.find(name)) {
    outputs_.push_back({0, variable});
  } else {
    refuse_unknown(tower_, name, "an input, a published name or a variable");
  }
}

std::vector<std::string> Predictor::variables() const {
  std::vector<std::string> found;
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i].variable) found.push_back(names_[i]);
  return found;
}

// An input is also provided if everything on the way from it to the output is fed.
void Predictor::require_inputs(const std::string& output) const {
  for (const abi::InputSpec& input : tower_.signature()) {
    if (!tower_.depends(output, input.name)) continue;
    const bool fed = std::ranges::any_of(inputs_, [&](const std::string& name) {
      return tower_.depends(name, input.name) && tower_.depends(output, name);
    });
    if (!fed)
      throw abi::CallError{BROCH_E_INVALID_ARGUMENT,
                           "predictor of tower '" + tower_.spec().name + "': the output '" +
                               output + "' needs the input '" + input.name +
                               "', which is not among the names to feed (" +
                               base::join(inputs_, ", ") + ")"};
  }
}

// Draws depend on global_step and on the number of the call within the step. So a resumed run
// draws the same numbers as one that was not interrupted, although predictors save nothing. Calls
// on other threads than [main] see whatever step it is at that moment.
uint64_t Predictor::draw_counter() {
  const int64_t step = tower_.context().global_step();
  const std::lock_guard lock(mutex_);
  if (std::exchange(step_, step) != step) calls_ = 0;
  return static_cast<uint64_t>(step) << 24 | calls_++;
}

std::vector<runtime::Tensor> Predictor::call(std::span<const runtime::Tensor> inputs) {
  runtime::Backend& backend = *tower_.context().backend;
  const runtime::Device device = tower_.spec().device;
  const std::lock_guard lock(running_);
  const runtime::Consistency::Call consistent(tower_.context().variables->consistency());
  request_.clear();
  tower::RunInputs& run = request_.inputs;
  run.inputs.resize(tower_.signature().size());
  run.hooked_run = draw_counter();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool here = backend.info(inputs[i]).device == device;
    run.feeds[inputs_[i]] = here ? inputs[i] : backend.copy(inputs[i], device);
  }
  for (const Output& output : outputs_)
    if (!output.variable) request_.wanted.publish(static_cast<uint32_t>(output.index));
  const auto none = [](const tower::TowerResult&, const tower::Update&) { return false; };
  const tower::TowerResult& result = runner_.run(request_, none).tower;
  std::vector<runtime::Tensor> outputs;
  outputs.reserve(outputs_.size());
  for (const Output& output : outputs_)
    outputs.push_back(backend.copy(
        output.variable ? output.variable->value : result.published[output.index], device));
  runner_.release();
  return outputs;
}

tower::Tower& Predictors::tower(const std::string& tower_name, uint32_t device) {
  const auto count = static_cast<uint32_t>(devices_.size());
  if (device >= count)
    base::warning("predict device " + std::to_string(device) + " is not among the " +
                  std::to_string(count) + " predict_devices: using number " +
                  std::to_string(device % count));
  tower::TowerSpec spec;
  spec.name = tower_name.empty() ? "tower-pred-" + std::to_string(device) : tower_name;
  spec.training = false;
  spec.device = devices_[device % count];
  if (const tower::Tower* replica = replica_for(spec.device))
    spec.vs_name = replica->spec().vs_name;
  // The name is taken by a tower on another device: add the number of this one, so that evaluations
  // on several devices need not choose names.
  if (towers_.has_other(spec)) spec.name += "-" + std::to_string(device);
  return towers_.get(spec);
}

// The training tower whose variables a predictor on this device reads: one of the device, else the
// first. nullptr: nothing is trained.
const tower::Tower* Predictors::replica_for(runtime::Device device) const {
  for (const tower::Tower* tower : trained_.training())
    if (tower && tower->spec().device == device) return tower;
  return trained_.training(0);
}

std::unique_ptr<Predictor> Predictors::get(const std::string& tower_name, uint32_t device,
                                           const std::vector<std::string>& inputs,
                                           const std::vector<std::string>& outputs) {
  return std::make_unique<Predictor>(tower(tower_name, device), variables_, inputs, outputs);
}

}  // namespace broch::plan
