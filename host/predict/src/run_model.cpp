// run_model.cpp: the inference towers of a run.
#include <algorithm>

#include "abi/guard.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "capture/sequence.hpp"
#include "plan/predictor.hpp"
#include "predict/model.hpp"

namespace broch::predict {
namespace {

// The state is fed from the second call on, so that the first one begins as the tower says.
class RunSequence final : public Sequence {
 public:
  // inputs, outputs: those of a call. states: NAME of each state/NAME.
  RunSequence(plan::Predictors& predictors, std::vector<std::string> inputs,
              std::vector<std::string> outputs, const std::vector<std::string>& states)
      : outputs_(outputs.size()) {
    for (const std::string& state : states) outputs.push_back("next/" + state);
    first_ = predictors.get("", 0, inputs, outputs);
    for (const std::string& state : states) inputs.push_back("state/" + state);
    later_ = predictors.get("", 0, inputs, outputs);
  }

  std::vector<runtime::Tensor> call(std::span<const runtime::Tensor> inputs) override {
    std::vector<runtime::Tensor> all(inputs.begin(), inputs.end());
    all.insert(all.end(), state_.begin(), state_.end());
    std::vector<runtime::Tensor> outputs = (state_.empty() ? first_ : later_)->call(all);
    state_.assign(outputs.begin() + int64_t(outputs_), outputs.end());
    outputs.resize(outputs_);
    return outputs;
  }

 private:
  size_t outputs_;  // those that are no state
  std::unique_ptr<plan::Predictor> first_, later_;
  std::vector<runtime::Tensor> state_;
};

class RunModel final : public Model {
 public:
  RunModel(const session::Setup& setup, session::Run& run, const std::string& checkpoint,
           const Names& names)
      : backend_(run.backend()), towers_(run.predictors(checkpoint)) {
    tower::Tower& tower = towers_.tower("", 0);
    std::vector<std::string>& outputs = ports_.outputs = names.outputs;
    if (outputs.empty()) outputs = {capture::usual_output(tower)};
    if (outputs[0].empty())
      base::fail(base::Exit::usage, tower.describe(), "no published name that is an output", "one",
                 "choose with --name: " + base::join(tower.published_names(), ", "));
    for (const std::string& name : outputs) require(tower, "--name", name);
    for (const abi::InputSpec& input : tower.signature()) ports_.order.push_back(input.name);
    choose_inputs(tower, names.inputs);
    for (const abi::InputSpec& input : ports_.inputs) fed_.push_back(input.name);
    const manifest::Manifest& manifest = setup.manifest();
    const size_t devices =
        std::max({manifest.predict_devices.size(), manifest.predict_tower.size(), size_t(1)});
    try {
      for (size_t i = 0; i < devices; ++i)
        predictors_.push_back(towers_.get("", uint32_t(i), fed_, outputs));
    } catch (const abi::CallError& error) {
      base::fail(base::Exit::usage, tower.describe(), error.what(), "", "");
    }
  }

  size_t towers() const override { return predictors_.size(); }
  std::vector<runtime::Tensor> call(size_t tower,
                                    std::span<const runtime::Tensor> inputs) override {
    return predictors_[tower]->call(inputs);
  }
  std::unique_ptr<Sequence> sequence() override {
    const std::vector<std::string> states = capture::states_of(towers_.tower("", 0));
    const bool is_fixed = std::ranges::any_of(ports_.inputs, [](const abi::InputSpec& input) {
      return input.shape.size() < 2 || input.shape[1] >= 0;
    });
    if (states.empty() || is_fixed) return nullptr;
    return std::make_unique<RunSequence>(towers_, fed_, ports_.outputs, states);
  }
  runtime::Backend& backend() override { return backend_; }

 private:
  static void require(const tower::Tower& tower, const std::string& option,
                      const std::string& name) {
    const std::vector<std::string>& there = tower.published_names();
    if (!tower.publishes(name))
      base::fail(
          base::Exit::usage, option,
          base::quoted(name) + ", no published name of the model" + base::did_you_mean(name, there),
          "one of " + base::join(there, ", "), "broch plan shows what a model computes");
  }

  void choose_inputs(const tower::Tower& tower, const std::vector<std::string>& wanted) {
    const std::vector<std::string>& order = ports_.order;
    for (const std::string& name : wanted)
      if (std::ranges::find(order, name) == order.end())
        base::fail(base::Exit::usage, "--input",
                   base::quoted(name) + ", no input of the model" + base::did_you_mean(name, order),
                   "one of " + base::join(order, ", "), "");
    for (const abi::InputSpec& input : tower.signature()) {
      const bool needed = std::ranges::any_of(ports_.outputs, [&](const std::string& output) {
        return output == input.name || tower.depends(output, input.name);
      });
      if (wanted.empty() && needed) ports_.inputs.push_back(input);
    }
    for (const std::string& name : wanted)
      ports_.inputs.push_back(*std::ranges::find(tower.signature(), name, &abi::InputSpec::name));
    if (!wanted.empty()) ports_.order = wanted;
  }

  runtime::Backend& backend_;
  plan::Predictors& towers_;
  std::vector<std::string> fed_;                              // the names of the inputs
  std::vector<std::unique_ptr<plan::Predictor>> predictors_;  // by device
};

}  // namespace

std::unique_ptr<Model> model_of_run(const session::Setup& setup, session::Run& run,
                                    const std::string& checkpoint, const Names& names) {
  return std::make_unique<RunModel>(setup, run, checkpoint, names);
}

}  // namespace broch::predict
