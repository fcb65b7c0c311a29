// inference.hpp: base class of the inference runners: one round runs a data set through one or more
// towers, whose outputs inferencers turn into numbers.
//
// A round ends when its data ends. If an input source has a size, the round ends after so many data
// points at the latest, so that sources that never end can be used.
#pragma once
#include <broch/broch.hpp>

#include "helper.hpp"

namespace broch::callbacks {

struct InferenceOptions {
  std::optional<ChildDataFlow> dataflow;
  std::optional<Child<broch_input_source>> data;
  std::vector<Child<broch_inferencer>> inferencers;

  static constexpr auto schema = options(
      option("dataflow", &InferenceOptions::dataflow, "The data, read once per round."),
      option("data", &InferenceOptions::data,
             "Instead of dataflow: an input source that has a size, or that ends."),
      option("inferencers", &InferenceOptions::inferencers, "What to compute from the outputs.")
          .min_items(1));
};

class Inference : public broch::Callback {
 public:
  void setup_graph() override {
    metrics_.emplace(host_);
    const broch_input_spec* inputs = nullptr;
    host_.check(predict_->signature(host_.c(), &inputs, &input_count_));
    if (dataflow_)
      dataflow_->reset_state();
    else
      host_.check(source_.table->setup(source_.self, inputs, input_count_));
    collect_fetches();
    for (Tower& tower : towers_) make_predictor(tower, inputs);
  }

  void trigger() override {
    for (Tower& tower : towers_) release(tower.inputs), release(tower.outputs);
    for (Runner& runner : inferencers_)
      if (runner.child.table->before_inference)
        host_.check(runner.child.table->before_inference(runner.child.self));
    start_round();
    const int64_t total = size();
    std::vector<Helper> helpers(towers_.size() - 1);
    for (Helper& helper : helpers) helper.start(host_);
    host_.check(ui_->begin(host_.c(), "inference", total));
    int64_t done = 0;
    for (size_t ready = towers_.size(); ready == towers_.size();) {
      for (ready = 0; ready < towers_.size() && next(done + int64_t(ready), total, ready);) ++ready;
      infer(ready, helpers);
      done += int64_t(ready);
      if (ready) ui_->advance(host_.c(), done);
    }
    host_.check(ui_->end(host_.c()));
    const broch_scalars scalars = {this, &put_scalar};
    for (Runner& runner : inferencers_)
      host_.check(runner.child.table->after_inference(runner.child.self, &scalars));
  }

  void after_train() override {
    if (source_ && source_.table->stop) host_.check(source_.table->stop(source_.self));
  }

 protected:
  Inference(const broch::Host& host, const InferenceOptions& options)
      : host_(host),
        scope_(host.require<broch_host_scope>(BROCH_EXT_SCOPE)),
        tensors_(host.require<broch_host_tensor>(BROCH_EXT_TENSOR)),
        data_(host.require<broch_host_data_point>(BROCH_EXT_DATA_POINT)),
        predict_(host.require<broch_host_predict>(BROCH_EXT_PREDICT)),
        ui_(host.require<broch_host_ui>(BROCH_EXT_UI)),
        dataflow_(options.dataflow),
        source_(options.data.value_or(Child<broch_input_source>())) {
    if (bool(dataflow_) == bool(source_))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "exactly one of dataflow and data says where the data comes from");
    if (source_ && (source_.table->flags & BROCH_INPUT_STAGED))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "a staging input cannot serve inference");
    for (const Child<broch_inferencer>& inferencer : options.inferencers)
      inferencers_.push_back({inferencer, {}});
  }

  // Add the towers in the order in which inferencers get their outputs. device: index in
  // predict_devices.
  void add_tower(const std::string& name, uint32_t device) {
    towers_.push_back({name, device, 0, broch::Point(host_), {}, {}});
  }

  // The number of data points of a round; -1: unknown.
  int64_t size() {
    if (dataflow_) return dataflow_->size().value_or(-1);
    int64_t size = -1;
    if (!source_.table->size || host_.check(source_.table->size(source_.self, &size)) == BROCH_NONE)
      return -1;
    return size;
  }

  broch::Host host_;

 private:
  struct Runner {
    broch::Child<broch_inferencer> child;
    std::vector<size_t> outputs;  // indices in outputs_
  };
  struct Tower {
    std::string name;
    uint32_t device;
    broch_predictor predictor;
    broch::Point point;
    std::vector<broch_tensor> inputs, outputs;  // owned handles, for a call on a helper thread
  };

  void make_predictor(Tower& tower, const broch_input_spec* inputs) {
    std::vector<const char*> input_names, output_names;
    for (uint32_t i = 0; i < input_count_; ++i) input_names.push_back(inputs[i].name);
    for (const std::string& name : outputs_) output_names.push_back(name.c_str());
    host_.check(predict_->get_predictor(host_.c(), tower.name.c_str(), tower.device,
                                        input_names.data(), input_count_, output_names.data(),
                                        uint32_t(output_names.size()), &tower.predictor));
  }

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

  // Reads the next data point for a tower. False: there is none.
  bool next(int64_t done, int64_t total, size_t tower) {
    const broch_cancel* cancel = data_->cancel(host_.c());
    broch::Point& point = towers_[tower].point;
    point.clear();
    if (dataflow_) return dataflow_->next(cancel, point.handle());
    if (total >= 0 && done >= total) return false;
    const broch_status status =
        host_.check(source_.table->next(source_.self, 0, cancel, point.handle()));
    if (status == BROCH_CANCELLED) throw broch::Cancelled();
    return status == BROCH_OK;
  }

  // Runs all towers at once, each on its data point. The last points of a round may be fewer than
  // the towers; then the first tower processes them one by one.
  void infer(size_t ready, std::vector<Helper>& helpers) {
    if (ready < towers_.size()) {
      for (size_t i = 0; i < ready; ++i) {
        if (i > 0) std::swap(towers_[0].point, towers_[i].point);
        in_scope([&] { tell(call(towers_[0])); });
      }
      return;
    }
    in_scope([&] {
      for (size_t i = 0; i < helpers.size(); ++i) {
        Tower& tower = towers_[i + 1];
        tower.inputs = kept(inputs_of(tower));
        helpers[i].run([this, &tower] { in_scope([&] { call_and_keep(tower); }); });
      }
      tell(call(towers_[0]));
      for (size_t i = 0; i < helpers.size(); ++i) {
        helpers[i].wait();
        tell(towers_[i + 1].outputs);
        release(towers_[i + 1].outputs);
      }
    });
  }

  std::vector<broch_tensor> inputs_of(Tower& tower) {
    std::vector<broch_tensor> inputs(input_count_);
    host_.check(data_->tensors(host_.c(), tower.point.handle(), inputs.data(), input_count_));
    return inputs;
  }
  std::vector<broch_tensor> outputs_of(Tower& tower, const std::vector<broch_tensor>& inputs) {
    std::vector<broch_tensor> outputs(outputs_.size());
    host_.check(predict_->call(host_.c(), tower.predictor, inputs.data(), input_count_,
                               outputs.data(), uint32_t(outputs.size())));
    return outputs;
  }
  std::vector<broch_tensor> call(Tower& tower) { return outputs_of(tower, inputs_of(tower)); }
  // Runs on a helper thread. Borrowed handles are valid on one thread only, so inputs and outputs
  // are owned.
  void call_and_keep(Tower& tower) {
    tower.outputs = kept(outputs_of(tower, tower.inputs));
    release(tower.inputs);
  }

  std::vector<broch_tensor> kept(const std::vector<broch_tensor>& borrowed) {
    std::vector<broch_tensor> owned;
    for (const broch_tensor tensor : borrowed)
      host_.check(tensors_->retain(host_.c(), tensor, &owned.emplace_back()));
    return owned;
  }
  void release(std::vector<broch_tensor>& owned) {
    for (const broch_tensor tensor : std::exchange(owned, {}))
      host_.check(tensors_->release(host_.c(), tensor));
  }

  template <class Body>
  void in_scope(Body&& body) {
    host_.check(scope_->push(host_.c()));
    body();
    host_.check(scope_->pop(host_.c()));
  }

  void tell(const std::vector<broch_tensor>& outputs) {
    std::vector<broch_tensor> own;
    for (Runner& runner : inferencers_) {
      own.clear();
      for (const size_t place : runner.outputs) own.push_back(outputs[place]);
      host_.check(
          runner.child.table->on_fetches(runner.child.self, own.data(), uint32_t(own.size())));
    }
  }

  static broch_status put_scalar(void* self, const char* name, double value) {
    auto* inference = static_cast<Inference*>(self);
    return broch::at_border(inference->host_.c(), [&]() -> broch_status {
      inference->metrics_->put_scalar(name, value);
      return BROCH_OK;
    });
  }

  const broch_host_scope* scope_;
  const broch_host_tensor* tensors_;
  const broch_host_data_point* data_;
  const broch_host_predict* predict_;
  const broch_host_ui* ui_;
  std::optional<broch::ChildDataFlow> dataflow_;
  broch::Child<broch_input_source> source_;
  std::vector<Runner> inferencers_;
  std::vector<std::string> outputs_;
  std::vector<Tower> towers_;
  std::optional<broch::Metrics> metrics_;
  uint32_t input_count_ = 0;
};

}  // namespace broch::callbacks
