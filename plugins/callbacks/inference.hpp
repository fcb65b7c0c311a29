// inference.hpp: base class of the inference runners: one round runs a dataset through one or more
// towers, whose outputs inferencers turn into numbers.
//
// A round ends when its data ends. If an input source has a size, the round ends after so many data
// points at the latest, so that sources that never end can be used.
#pragma once
#include <broch/broch.hpp>

#include "endless.hpp"
#include "helper.hpp"

namespace broch::callbacks {

struct InferenceOptions {
  std::optional<ChildDataFlow> dataflow;
  std::optional<ChildInputSource> data;
  std::vector<ChildInferencer> inferencers;

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
    const auto inputs = broch::model_inputs(host_);
    for (const broch_input_spec& input : inputs) inputs_.emplace_back(input.name);
    if (dataflow_)
      dataflow_->reset_state();
    else
      source_->setup(inputs.data(), uint32_t(inputs.size()));
    collect_fetches();
    for (Tower& tower : towers_)
      tower.predictor.emplace(host_, inputs_, outputs_,
                              broch::Predictor::Options{tower.name, tower.device});
  }

  void before_train() override {
    if (size() < 0 && source_ && begins_again(broch::Config(host_), "/data"))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/data: found an input source that begins again, around data that do not "
                         "say their size, expected an end, since each round reads them once; set "
                         "its option infinite to false, or use dataflow instead of data");
    if (size() < 0)
      host_.warning("the data does not say its size: each round lasts until the data ends");
    if (size() == 0)
      host_.warning(
          "the data has no point, so nothing is evaluated: use a smaller batch_size, or more data");
  }

  void trigger() override {
    for (Tower& tower : towers_) tower.inputs.clear(), tower.outputs.clear();
    for (const Runner& runner : inferencers_) runner.child.before_inference();
    start_round();
    run_round();
    for (const Runner& runner : inferencers_)
      runner.child.after_inference(
          [this](const std::string& name, double value) { metrics_->put_scalar(name, value); });
  }

  void after_train() override {
    if (source_) source_->stop();
  }

 protected:
  Inference(const broch::Host& host, const InferenceOptions& options)
      : host_(host), scopes_(host), dataflow_(options.dataflow), source_(options.data) {
    if (bool(dataflow_) == bool(source_))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "exactly one of dataflow and data says where the data comes from");
    if (source_ && (source_->flags() & BROCH_INPUT_STAGED))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "a staging input cannot serve inference");
    if (const std::string endless =
            endless_repeat(broch::Config(host), source_ ? "/data" : "/dataflow");
        !endless.empty())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         endless +
                             ": found data that never end, expected an end, since each round reads "
                             "them once; remove repeat, or set its option times");
    for (const ChildInferencer& inferencer : options.inferencers)
      inferencers_.push_back({inferencer, {}});
  }

  // Add the towers in the order in which inferencers get their outputs. device: index in
  // predict_devices.
  void add_tower(const std::string& name, uint32_t device) {
    towers_.push_back(
        {name, device, {}, broch::Point(host_), broch::Retained(host_), broch::Retained(host_)});
  }

  // The number of data points of a round; -1: unknown.
  int64_t size() { return (dataflow_ ? dataflow_->size() : source_->size()).value_or(-1); }

  broch::Host host_;

 private:
  struct Runner {
    ChildInferencer child;
    std::vector<size_t> outputs;  // indices in outputs_
  };
  struct Tower {
    std::string name;
    uint32_t device;
    std::optional<broch::Predictor> predictor;  // from setup_graph on
    broch::Point point;
    broch::Retained inputs, outputs;  // for a call on a helper thread
  };

  void run_round() {
    const broch::Cancel cancel = broch::Cancel::of_run(host_);
    const int64_t total = size();
    std::vector<Helper> helpers(towers_.size() - 1);
    for (Helper& helper : helpers) helper.start(host_);
    const broch::ProgressBar bar(host_, "inference", total);
    int64_t done = 0;
    for (size_t ready = towers_.size(); ready == towers_.size();) {
      for (ready = 0; ready < towers_.size() && next(cancel, done + int64_t(ready), total, ready);)
        ++ready;
      infer(ready, helpers);
      done += int64_t(ready);
      if (ready) bar.advance(done);
    }
  }

  void collect_fetches() {
    for (Runner& runner : inferencers_)
      for (const std::string& name : runner.child.fetches())
        runner.outputs.push_back(output_place(name));
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
    else
      source_->reset_state();
  }

  // Reads the next data point for a tower. False: there is none. Throws Cancelled, so that a signal
  // ends a round over many points, or endless ones.
  bool next(const broch::Cancel& cancel, int64_t done, int64_t total, size_t tower) {
    if (cancel.cancelled()) throw broch::Cancelled();
    broch::Point& point = towers_[tower].point;
    point.clear();
    if (dataflow_) return dataflow_->next(cancel, point);
    if (total >= 0 && done >= total) return false;
    return source_->next(0, cancel, point);
  }

  // Runs all towers at once, each on its data point. The last points of a round may be fewer than
  // the towers; then the first tower processes them one by one.
  void infer(size_t ready, std::vector<Helper>& helpers) {
    if (ready < towers_.size()) {
      for (size_t i = 0; i < ready; ++i) {
        if (i > 0) std::swap(towers_[0].point, towers_[i].point);
        const broch::Scope scope = scopes_.open();
        tell(call(towers_[0]));
      }
      return;
    }
    const broch::Scope scope = scopes_.open();
    for (size_t i = 0; i < helpers.size(); ++i) {
      Tower& tower = towers_[i + 1];
      tower.inputs.keep(inputs_of(tower));
      helpers[i].run([this, &tower] { call_and_keep(tower); });
    }
    tell(call(towers_[0]));
    for (size_t i = 0; i < helpers.size(); ++i) {
      helpers[i].wait();
      tell(towers_[i + 1].outputs.handles());
      towers_[i + 1].outputs.clear();
    }
  }

  std::vector<broch_tensor> inputs_of(const Tower& tower) const {
    return tower.point.tensors(uint32_t(inputs_.size()));
  }
  std::vector<broch_tensor> call(const Tower& tower) const {
    return tower.predictor->call(inputs_of(tower));
  }
  // Runs on a helper thread. Borrowed handles are valid on one thread only, so inputs and outputs
  // are retained.
  void call_and_keep(Tower& tower) const {
    const broch::Scope scope = scopes_.open();
    tower.outputs.keep(tower.predictor->call(tower.inputs.handles()));
    tower.inputs.clear();
  }

  void tell(const std::vector<broch_tensor>& outputs) {
    std::vector<broch_tensor> own;
    for (Runner& runner : inferencers_) {
      own.clear();
      for (const size_t place : runner.outputs) own.push_back(outputs[place]);
      runner.child.on_fetches(own);
    }
  }

  broch::Scopes scopes_;
  std::optional<broch::ChildDataFlow> dataflow_;
  std::optional<broch::ChildInputSource> source_;
  std::vector<Runner> inferencers_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<Tower> towers_;
  std::optional<broch::Metrics> metrics_;
};

}  // namespace broch::callbacks
