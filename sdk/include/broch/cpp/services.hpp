// services.hpp: what callbacks ask the host for, with exceptions: progress, fetches, metrics.
#pragma once
#include <optional>
#include <string>

#include "host.hpp"
#include "tensor.hpp"

namespace broch {
inline namespace v0 {

// Counters and values along with a step.
class Run {
 public:
  explicit Run(const Host& host)
      : host_(host),
        table_(host.require<broch_run_ext>(BROCH_EXT_RUN)),
        progress_(table_->progress(host.c())) {}

  const broch_progress& progress() const { return *progress_; }
  bool is_last_step() const { return progress_->local_step == progress_->steps_per_epoch - 1; }

  uint32_t fetch(const std::string& name) const {
    uint32_t id = 0;
    host_.check(table_->fetch(host_.c(), name.c_str(), &id));
    return id;
  }
  // No value: it was not wanted in this run.
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
  void run_collection(const std::string& collection) const {
    host_.check(table_->run_collection(host_.c(), collection.c_str()));
  }
  void request_stop(const std::string& reason) const {
    host_.check(table_->request_stop(host_.c(), reason.c_str()));
  }
  void want_summaries(broch_run run) const {
    host_.check(table_->want_summaries(host_.c(), run));
  }
  void evaluate_summaries() const { host_.check(table_->evaluate_summaries(host_.c())); }

 private:
  Host host_;
  const broch_run_ext* table_;
  const broch_progress* progress_;
};

// Numbers for the monitors and their history.
class Metrics {
 public:
  explicit Metrics(const Host& host)
      : host_(host), table_(host.require<broch_metrics>(BROCH_EXT_METRICS)) {}

  void put_scalar(const std::string& name, double value) const {
    host_.check(table_->put_scalar(host_.c(), name.c_str(), value));
  }
  void put_image(const std::string& name, const broch_dl_tensor& image) const {
    host_.check(table_->put_image(host_.c(), name.c_str(), &image));
  }
  // No value: none was ever put.
  std::optional<broch_metric_point> latest(const std::string& name) const {
    broch_metric_point point{};
    const broch_status status = table_->latest(host_.c(), name.c_str(), &point);
    if (status == BROCH_E_NOT_FOUND) return std::nullopt;
    host_.check(status);
    return point;
  }

 private:
  Host host_;
  const broch_metrics* table_;
};

}  // namespace v0
}  // namespace broch
