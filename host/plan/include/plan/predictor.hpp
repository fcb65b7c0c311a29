// predictor.hpp: the model in inference mode with the current weights. tensorpack:
// `OnlinePredictor`.
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "plan/names.hpp"
#include "plan/towers.hpp"
#include "replay/tower_runner.hpp"

namespace broch::plan {

class Predictor {
 public:
  // inputs: names of inputs or published names of the tower; outputs: the same, or variables.
  // Throws abi::CallError for an unknown name, for one that would be fed twice, and for an output
  // that needs an input which is not listed.
  Predictor(tower::Tower& tower, runtime::VariableStore& variables,
            const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return names_; }
  // The outputs that are variables.
  std::vector<std::string> variables() const;
  runtime::Backend& backend() const { return *tower_.context().backend; }
  // Returns copies of the outputs. [any]
  std::vector<runtime::Tensor> call(std::span<const runtime::Tensor> inputs);

 private:
  struct Output {
    size_t index = 0;                       // index in TowerResult::published
    runtime::Variable* variable = nullptr;  // if set, the output is this variable
  };
  void add_output(const std::string& name, runtime::VariableStore& variables);
  void require_inputs(const std::string& output) const;
  uint64_t draw_counter();

  tower::Tower& tower_;
  replay::TowerRunner runner_;
  replay::StepRequest request_;
  std::mutex running_;  // held during a call, so calls run one at a time
  std::vector<std::string> inputs_;
  std::vector<std::string> names_;  // of outputs_
  std::vector<Output> outputs_;
  std::mutex mutex_;
  int64_t step_ = -1;   // global_step of the last call
  uint64_t calls_ = 0;  // number of calls since then
};

// Makes predictors. A tower is built once per name.
class Predictors {
 public:
  // trained: whose variables the towers use. The same object, or that of the model of the run.
  Predictors(Towers& towers, const Towers& trained, runtime::VariableStore& variables,
             std::vector<runtime::Device> devices)
      : towers_(towers), trained_(trained), variables_(variables), devices_(std::move(devices)) {}

  // The inference tower that such a predictor calls. [main]
  tower::Tower& tower(const std::string& tower_name, uint32_t device);
  // tower_name "" stands for "tower-pred-{device}". device: index in predict_devices; one that is
  // too large wraps around, with a warning. [main]
  std::unique_ptr<Predictor> get(const std::string& tower_name, uint32_t device,
                                 const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs);

 private:
  const tower::Tower* replica_for(runtime::Device device) const;

  Towers& towers_;
  const Towers& trained_;
  runtime::VariableStore& variables_;
  std::vector<runtime::Device> devices_;
};

}  // namespace broch::plan
