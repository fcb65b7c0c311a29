// run.hpp: the progress of the training, and values that are computed together with a step.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// The counters of the training, and values that are computed together with a step; see
// ext/progress.h.
class Run {
 public:
  explicit Run(const Host& host)
      : host_(host),
        table_(host.require<broch_host_progress>(BROCH_EXT_PROGRESS)),
        progress_(table_->progress(host.c())) {}

  const broch_progress& progress() const { return *progress_; }
  // Whether the current step is the last one of its epoch.
  bool is_last_step() const { return progress_->local_step == progress_->steps_per_epoch - 1; }

  // In setup_graph of a callback: requests a value with every hooked run. Returns its id.
  uint32_t fetch(const std::string& name) const {
    uint32_t id = 0;
    host_.check(table_->fetch(host_.c(), name.c_str(), &id));
    return id;
  }
  // In after_run. No value: it was not requested in this run.
  std::optional<double> scalar(broch_run run, uint32_t id) const {
    double value = 0;
    if (host_.check(table_->scalar(host_.c(), run, id, &value)) == BROCH_NONE) return std::nullopt;
    return value;
  }
  std::optional<broch_tensor> value(broch_run run, uint32_t id) const {
    broch_tensor value = 0;
    if (host_.check(table_->value(host_.c(), run, id, &value)) == BROCH_NONE) return std::nullopt;
    return value;
  }

  // In setup_graph of a callback: announces that it may feed an input or a published name. Returns
  // the id.
  uint32_t feed(const std::string& name) const {
    uint32_t id = 0;
    host_.check(table_->feed(host_.c(), name.c_str(), &id));
    return id;
  }
  // In before_run: feeds a value in this run.
  void set_feed(broch_run run, uint32_t id, broch_tensor value) const {
    host_.check(table_->set_feed(host_.c(), run, id, value));
  }
  // The values of these names now, without hooks, updates or a step. If they depend on the input,
  // this consumes a data point; if a signal ends the wait for it, this throws Cancelled.
  std::vector<broch_tensor> eval(const std::vector<std::string>& names) const {
    std::vector<const char*> texts;
    for (const std::string& name : names) texts.push_back(name.c_str());
    std::vector<broch_tensor> values(names.size());
    evaluated(table_->eval(host_.c(), texts.data(), uint32_t(texts.size()), values.data()));
    return values;
  }

  // In setup_graph: every hooked run also writes the updates anchored at a collection, or maintains
  // the moving averages.
  void run_collection(const std::string& collection) const {
    host_.check(table_->run_collection(host_.c(), collection.c_str()));
  }
  // In before_run or after_run: ends the loop after this step. StopTraining ends it at once.
  void request_stop(const std::string& reason) const {
    host_.check(table_->request_stop(host_.c(), reason.c_str()));
  }
  // In before_run: this run also computes the summaries, for the monitors.
  void want_summaries(broch_run run) const { host_.check(table_->want_summaries(host_.c(), run)); }
  // Computes the summaries in a run of its own. Throws Cancelled as eval does.
  void evaluate_summaries() const { evaluated(table_->evaluate_summaries(host_.c())); }

 private:
  void evaluated(broch_status status) const {
    if (host_.check(status) == BROCH_CANCELLED) throw Cancelled();
  }

  Host host_;
  const broch_host_progress* table_;
  const broch_progress* progress_;
};

}  // namespace v0
}  // namespace broch
