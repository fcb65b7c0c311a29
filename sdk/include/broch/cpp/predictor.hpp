// predictor.hpp: runs the model in inference mode with the current weights.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

namespace glue {

// The table, for a model that is an option.
inline const broch_host_predict* predict_with_children(const Host& host) {
  const auto* table = host.require<broch_host_predict>(BROCH_EXT_PREDICT);
  if (!BROCH_HAS(broch_host_predict, table, get_child_predictor))
    throw Error(BROCH_E_UNIMPLEMENTED, "this host cannot run a model that is an option");
  return table;
}

}  // namespace glue

// The inputs of the model; borrowed as long as the run.
inline View<const broch_input_spec> model_inputs(const Host& host) {
  const broch_input_spec* inputs = nullptr;
  uint32_t n = 0;
  host.check(host.require<broch_host_predict>(BROCH_EXT_PREDICT)->signature(host.c(), &inputs, &n));
  return {inputs, n};
}

// An inference tower from inputs to outputs; see ext/predict.h. tensorpack: `OnlinePredictor`.
class Predictor {
 public:
  using Names = std::vector<std::string>;
  struct Options {
    std::string tower_name;  // "": "tower-pred-{device}"
    uint32_t device = 0;     // index in predict_devices
    std::string model = {};  // option with a model, ChildModel::pointer; "": that of the run
  };

  // Call it in setup_graph. The names are published names or inputs; outputs may also be variables.
  Predictor(const Host& host, Names inputs, Names outputs, const Options& where)
      : host_(host),
        table_(host.require<broch_host_predict>(BROCH_EXT_PREDICT)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {
    const auto in = pointers(inputs_), out = pointers(outputs_);
    const char* tower = where.tower_name.empty() ? nullptr : where.tower_name.c_str();
    if (where.model.empty()) {
      host_.check(table_->get_predictor(host_.c(), tower, where.device, in.data(),
                                        uint32_t(in.size()), out.data(), uint32_t(out.size()),
                                        &predictor_));
      return;
    }
    host_.check(glue::predict_with_children(host_)->get_child_predictor(
        host_.c(), where.model.c_str(), tower, where.device, in.data(), uint32_t(in.size()),
        out.data(), uint32_t(out.size()), &predictor_));
  }
  Predictor(const Host& host, Names inputs, Names outputs)
      : Predictor(host, std::move(inputs), std::move(outputs), {}) {}

  const Names& inputs() const { return inputs_; }
  const Names& outputs() const { return outputs_; }
  broch_predictor handle() const { return predictor_; }

  // The outputs, as copies, in their order. On any thread, one call of a predictor at a time.
  std::vector<broch_tensor> call(const std::vector<broch_tensor>& inputs) const {
    std::vector<broch_tensor> outputs(outputs_.size());
    host_.check(table_->call(host_.c(), predictor_, inputs.data(), uint32_t(inputs.size()),
                             outputs.data(), uint32_t(outputs.size())));
    return outputs;
  }
  // The same by name. Throws Error if an input is missing.
  std::map<std::string, broch_tensor> call_by_name(
      const std::map<std::string, broch_tensor>& inputs) const {
    std::vector<broch_tensor> ordered;
    for (const std::string& name : inputs_) {
      const auto found = inputs.find(name);
      if (found == inputs.end())
        throw Error(BROCH_E_INVALID_ARGUMENT, "the predictor needs an input '" + name + "'");
      ordered.push_back(found->second);
    }
    const std::vector<broch_tensor> values = call(ordered);
    std::map<std::string, broch_tensor> outputs;
    for (size_t i = 0; i < values.size(); ++i) outputs[outputs_[i]] = values[i];
    return outputs;
  }

 private:
  static std::vector<const char*> pointers(const Names& names) {
    std::vector<const char*> list;
    for (const std::string& name : names) list.push_back(name.c_str());
    return list;
  }

  Host host_;
  const broch_host_predict* table_;
  Names inputs_, outputs_;
  broch_predictor predictor_ = 0;
};

}  // namespace v0
}  // namespace broch
