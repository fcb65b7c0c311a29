// inference.hpp: base class of the inference runners: one round runs a dataset through one or more
// towers, whose outputs inferencers turn into numbers. Several datasets have their rounds one
// after the other, with the same inferencers.
//
// A round ends when its data ends. If an input source has a size, the round ends after so many data
// points at the latest, so that sources that never end can be used.
//
// Some dataflows read other points in each round, such as those that draw random numbers. So the
// place is saved, and a resumed run evaluates on the points on which it would have done so anyway.
#pragma once
#include <broch/broch.hpp>

#include "evaluated_data.hpp"
#include "helper.hpp"
#include "named_bytes.hpp"

namespace broch::callbacks {

struct NamedDataOptions : DataOptions {
  std::string name;

  static constexpr auto schema =
      options(option("name", &NamedDataOptions::name,
                     "Stands before the metrics of this dataset, {name}_{metric}.")
                  .min_length(1),
              DataOptions::schema);
};

struct InferenceOptions : DataOptions {
  std::vector<NamedDataOptions> datasets;
  std::vector<ChildInferencer> inferencers;
  std::string prefix;
  std::optional<ChildModel> model;

  static constexpr auto schema = options(
      DataOptions::schema,
      option("datasets", &InferenceOptions::datasets,
             "Instead of dataflow and data: several, which are evaluated one after the other.")
          .by_default(),
      option("inferencers", &InferenceOptions::inferencers, "What to compute from the outputs.")
          .min_items(1),
      option("prefix", &InferenceOptions::prefix,
             "Stands before all metrics of the inferencers, {prefix}_{metric}; empty: nothing.")
          .by_default(""),
      option("model", &InferenceOptions::model,
             "Another model to evaluate, with the variables of the run that have the names of its "
             "own; null: the model of the run."));
};
// What the metadata says about the names of metrics.
constexpr auto kMetricPrefix = metric_prefix("{prefix?_}{datasets/name?_}");

class Inference : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  void setup_graph() override {
    metrics_.emplace(host_);
    const auto inputs = model_ ? model_->inputs() : broch::model_inputs(host_);
    for (const broch_input_spec& input : inputs) inputs_.emplace_back(input.name);
    for (const EvaluatedData& data : datasets_) data.setup(inputs);
    collect_fetches();
    for (Tower& tower : towers_)
      tower.predictor.emplace(
          host_, inputs_, outputs_,
          broch::Predictor::Options{tower.name, tower.device, model_ ? model_->pointer() : ""});
  }

  void before_train() override {
    for (EvaluatedData& data : datasets_) {
      data.check(host_);
      data.resume(host_);
    }
  }

  void trigger() override {
    for (EvaluatedData& data : datasets_) evaluate(data);
    for (EvaluatedData& data : datasets_) data.keep_round();
  }

  void after_train() override {
    for (const EvaluatedData& data : datasets_) data.stop();
  }

  std::string save_state() override {
    std::string state;
    for (const EvaluatedData& data : datasets_) add_named(state, data.name(), data.cursor());
    return state;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    std::map<std::string, std::string> cursors = named_bytes(bytes);
    for (EvaluatedData& data : datasets_) data.set_cursor(std::move(cursors[data.name()]));
  }

 protected:
  Inference(const broch::Host& host, const InferenceOptions& options)
      : host_(host), model_(options.model), scopes_(host), prefix_(options.prefix) {
    if (int(bool(options.dataflow)) + bool(options.data) + !options.datasets.empty() != 1)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "exactly one of dataflow, data and datasets says where the data comes "
                         "from");
    if (options.datasets.empty()) datasets_.emplace_back(host, options, "");
    for (const NamedDataOptions& data : options.datasets) add_data(data);
    for (const ChildInferencer& inferencer : options.inferencers)
      inferencers_.push_back({inferencer, {}});
  }

  // Add the towers in the order in which inferencers get their outputs. device: index in
  // predict_devices.
  void add_tower(const std::string& name, uint32_t device) {
    towers_.push_back(
        {name, device, {}, broch::Point(host_), broch::Retained(host_), broch::Retained(host_)});
  }

  broch::Host host_;

 private:
  std::optional<ChildModel> model_;  // instead of the model of the run
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

  void add_data(const NamedDataOptions& options) {
    const std::string at = "/datasets/" + std::to_string(datasets_.size());
    if (bool(options.dataflow) == bool(options.data))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         at + ": exactly one of dataflow and data says where the data comes from");
    for (const EvaluatedData& other : datasets_)
      if (other.name() == options.name)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           at + "/name: found " + options.name +
                               " twice, expected a name for each dataset; metrics of both would "
                               "have the same names");
    datasets_.emplace_back(host_, options, at, options.name);
  }

  void evaluate(EvaluatedData& data) {
    for (Tower& tower : towers_) tower.inputs.clear(), tower.outputs.clear();
    for (const Runner& runner : inferencers_) runner.child.before_inference();
    data.start_round();
    run_round(data);
    std::string prefix;
    for (const std::string& part : {prefix_, data.name()})
      if (!part.empty()) prefix += part + "_";
    std::optional<broch::MetricPrefix> before;  // also before what inferencers put themselves
    if (!prefix.empty()) before.emplace(*metrics_, prefix);
    for (const Runner& runner : inferencers_)
      runner.child.after_inference(
          [&](const std::string& name, double value) { metrics_->put_scalar(name, value); });
  }

  void run_round(EvaluatedData& data) {
    const broch::Cancel cancel = broch::Cancel::of_run(host_);
    std::vector<Helper> helpers(towers_.size() - 1);
    for (Helper& helper : helpers) helper.start(host_);
    const broch::ProgressBar bar(
        host_, data.name().empty() ? "inference" : "inference " + data.name(), data.size());
    int64_t done = 0;
    for (size_t ready = towers_.size(); ready == towers_.size();) {
      for (ready = 0; ready < towers_.size() && next(data, cancel, done + int64_t(ready), ready);)
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

  // Reads the next data point for a tower. False: there is none. Throws Cancelled, so that a signal
  // ends a round over many points, or endless ones.
  bool next(EvaluatedData& data, const broch::Cancel& cancel, int64_t done, size_t tower) {
    if (cancel.cancelled()) throw broch::Cancelled();
    broch::Point& point = towers_[tower].point;
    point.clear();
    return data.next(cancel, done, point);
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
  std::string prefix_;
  std::vector<EvaluatedData> datasets_;
  std::vector<Runner> inferencers_;
  std::vector<std::string> inputs_, outputs_;
  std::vector<Tower> towers_;
  std::optional<broch::Metrics> metrics_;
};

}  // namespace broch::callbacks
