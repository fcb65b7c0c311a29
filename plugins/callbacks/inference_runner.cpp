// inference_runner.cpp: runs the model in inference mode over a data set on each trigger and lets
// inferencers turn the outputs into numbers. Seed term: InferenceRunner (3.12, T39, T40).
//
// The end of a round is the end of its data; a size only bounds a source that never ends.
#include <broch/broch.hpp>

namespace {

class InferenceRunner final : public broch::Callback {
 public:
  explicit InferenceRunner(const broch::Host& host)
      : host_(host),
        scope_(host.require<broch_scope>(BROCH_EXT_SCOPE)),
        data_(host.require<broch_data>(BROCH_EXT_DATA)),
        predict_(host.require<broch_predict>(BROCH_EXT_PREDICT)),
        ui_(host.require<broch_ui>(BROCH_EXT_UI)),
        point_(host) {
    const broch::Config config(host);
    if (config.has("/dataflow") == config.has("/data"))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "exactly one of dataflow and data says where the data comes from");
    if (config.has("/dataflow"))
      dataflow_.emplace(host, "/dataflow");
    else
      source_ = broch::child<broch_input_source>(host, "/data", BROCH_ROLE_INPUT_SOURCE);
    if (source_ && (source_.table->flags & BROCH_INPUT_STAGED))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "a staging input cannot serve inference");
    for (uint64_t i = 0, n = config.size("/inferencers"); i < n; ++i)
      inferencers_.push_back({broch::child<broch_inferencer>(
                                  host, "/inferencers/" + std::to_string(i), BROCH_ROLE_INFERENCER),
                              {}});
    tower_name_ = config.string("/tower_name");
    device_ = uint32_t(config.integer("/device"));
  }

  void setup_graph() override {
    metrics_.emplace(host_);
    const broch_input_spec* inputs = nullptr;
    host_.check(predict_->signature(host_.c(), &inputs, &input_count_));
    if (dataflow_)
      dataflow_->reset_state();
    else
      host_.check(source_.table->setup(source_.self, inputs, input_count_));
    std::vector<const char*> input_names, output_names;
    for (uint32_t i = 0; i < input_count_; ++i) input_names.push_back(inputs[i].name);
    collect_fetches();
    for (const std::string& name : outputs_) output_names.push_back(name.c_str());
    host_.check(predict_->get_predictor(host_.c(), tower_name_.c_str(), device_, input_names.data(),
                                        input_count_, output_names.data(),
                                        uint32_t(output_names.size()), &predictor_));
  }

  void before_train() override {
    if (size() < 0)
      host_.warning("the data does not say its size: every round goes on until it ends");
  }

  void trigger() override {
    for (Runner& runner : inferencers_)
      if (runner.child.table->before_inference)
        host_.check(runner.child.table->before_inference(runner.child.self));
    start_round();
    const int64_t total = size();
    host_.check(ui_->begin(host_.c(), "inference", total));
    for (int64_t done = 0; next(done, total);) {
      host_.check(scope_->push(host_.c()));
      infer();
      host_.check(scope_->pop(host_.c()));
      ui_->advance(host_.c(), ++done);
    }
    host_.check(ui_->end(host_.c()));
    const broch_scalars scalars = {this, &put_scalar};
    for (Runner& runner : inferencers_)
      host_.check(runner.child.table->after_inference(runner.child.self, &scalars));
  }

  void after_train() override {
    if (source_ && source_.table->stop) host_.check(source_.table->stop(source_.self));
  }

 private:
  struct Runner {
    broch::Child<broch_inferencer> child;
    std::vector<size_t> outputs;  // places in outputs_
  };

  void collect_fetches() {
    for (Runner& runner : inferencers_) {
      std::vector<std::string> wanted;
      const broch_names names = {&wanted, [](void* list, const char* name) -> broch_status {
                                   static_cast<std::vector<std::string>*>(list)->push_back(name);
                                   return BROCH_OK;
                                 }};
      host_.check(runner.child.table->fetches(runner.child.self, &names));
      for (const std::string& name : wanted) runner.outputs.push_back(output_place(name));
    }
  }
  size_t output_place(const std::string& name) {
    for (size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i] == name) return i;
    outputs_.push_back(name);
    return outputs_.size() - 1;
  }

  void start_round() {
    if (dataflow_)
      dataflow_->open("");
    else if (source_.table->reset_state)
      host_.check(source_.table->reset_state(source_.self));
  }
  // Number of points of a round, -1 when unknown.
  int64_t size() {
    if (dataflow_) return dataflow_->size().value_or(-1);
    int64_t size = -1;
    if (!source_.table->size || host_.check(source_.table->size(source_.self, &size)) == BROCH_NONE)
      return -1;
    return size;
  }

  bool next(int64_t done, int64_t total) {
    const broch_cancel* cancel = data_->cancel(host_.c());
    point_.clear();
    if (dataflow_) return dataflow_->next(cancel, point_.handle());
    if (total >= 0 && done >= total) return false;
    const broch_status status =
        host_.check(source_.table->next(source_.self, 0, cancel, point_.handle()));
    if (status == BROCH_CANCELLED) throw broch::Cancelled();
    return status == BROCH_OK;
  }

  void infer() {
    std::vector<broch_tensor> inputs(input_count_), outputs(outputs_.size()), own;
    host_.check(data_->tensors(host_.c(), point_.handle(), inputs.data(), input_count_));
    host_.check(predict_->call(host_.c(), predictor_, inputs.data(), input_count_, outputs.data(),
                               uint32_t(outputs.size())));
    for (Runner& runner : inferencers_) {
      own.clear();
      for (const size_t place : runner.outputs) own.push_back(outputs[place]);
      host_.check(
          runner.child.table->on_fetches(runner.child.self, own.data(), uint32_t(own.size())));
    }
  }

  static broch_status put_scalar(void* self, const char* name, double value) {
    auto* runner = static_cast<InferenceRunner*>(self);
    return broch::at_border(runner->host_.c(), [&]() -> broch_status {
      runner->metrics_->put_scalar(name, value);
      return BROCH_OK;
    });
  }

  broch::Host host_;
  const broch_scope* scope_;
  const broch_data* data_;
  const broch_predict* predict_;
  const broch_ui* ui_;
  broch::Point point_;
  std::optional<broch::ChildDataFlow> dataflow_;
  broch::Child<broch_input_source> source_;
  std::vector<Runner> inferencers_;
  std::vector<std::string> outputs_;
  std::optional<broch::Metrics> metrics_;
  std::string tower_name_;
  uint32_t device_, input_count_ = 0;
  broch_predictor predictor_ = 0;
};

}  // namespace

BROCH_CALLBACK(InferenceRunner, "broch.callback.inference-runner", "1.0.0",
               "Runs the model over a data set and lets inferencers turn the outputs into numbers.",
               R"({
  "type": "object",
  "properties": {
    "dataflow": {"x-broch-component": "dataflow", "description": "Gone through once a round."},
    "data": {"x-broch-component": "input_source", "description": "Instead: an input source with a size, or one that ends."},
    "inferencers": {"type": "array", "minItems": 1, "items": {"x-broch-component": "inferencer"},
                    "description": "What to compute from the outputs."},
    "tower_name": {"type": "string", "minLength": 1, "default": "InferenceTower",
                   "description": "Of the tower; runners with equal names share it."},
    "device": {"type": "integer", "minimum": 0, "default": 0,
               "description": "Place in predict_devices."}
  },
  "required": ["inferencers"],
  "additionalProperties": false
})")
