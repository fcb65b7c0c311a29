// metrics.hpp: sends numbers, images and events to the monitors, and reads earlier numbers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

// What the monitors receive; see ext/metrics.h.
class Metrics {
 public:
  explicit Metrics(const Host& host)
      : host_(host), table_(host.require<broch_host_metrics>(BROCH_EXT_METRICS)) {}

  void put_scalar(const std::string& name, double value) const {
    host_.check(table_->put_scalar(host_.c(), name.c_str(), value));
  }
  void put_image(const std::string& name, const broch_dl_tensor& image) const {
    host_.check(table_->put_image(host_.c(), name.c_str(), &image));
  }
  // Several values at once. "towerN/" and a trailing "-summary" are removed from their tags.
  void put_summary(const std::vector<broch_summary_value>& values) const {
    host_.check(table_->put_summary(host_.c(), values.data(), uint32_t(values.size())));
  }
  // An event of the component itself. kind: a reversed domain name; data: its text.
  void put_event(const std::string& kind, const std::string& data) const {
    host_.check(table_->put_event(host_.c(), kind.c_str(), data.data(), data.size()));
  }
  // The last value. No value: none has been put yet.
  std::optional<broch_metric_point> latest(const std::string& name) const {
    broch_metric_point point{};
    if (host_.check(table_->latest(host_.c(), name.c_str(), &point)) == BROCH_NONE)
      return std::nullopt;
    return point;
  }
  // All values of the run, oldest first. Borrowed until the next put.
  View<const broch_metric_point> history(const std::string& name) const {
    const broch_metric_point* points = nullptr;
    uint64_t count = 0;
    host_.check(table_->history(host_.c(), name.c_str(), &points, &count));
    return {points, size_t(count)};
  }

 private:
  friend class MetricPrefix;
  Host host_;
  const broch_host_metrics* table_;
};

// As long as it lives, all names that are put begin with this text: for what children put while
// they are called. Make it a local variable.
class MetricPrefix {
 public:
  MetricPrefix(const Metrics& metrics, const std::string& text)
      : host_(metrics.host_), table_(metrics.table_) {
    if (!BROCH_HAS(broch_host_metrics, table_, prefix_pop))
      throw Error(BROCH_E_UNIMPLEMENTED, "this host puts no text before the names of metrics");
    host_.check(table_->prefix_push(host_.c(), text.c_str()));
  }
  ~MetricPrefix() { table_->prefix_pop(host_.c()); }
  MetricPrefix(const MetricPrefix&) = delete;
  MetricPrefix& operator=(const MetricPrefix&) = delete;

 private:
  Host host_;
  const broch_host_metrics* table_;
};

}  // namespace v0
}  // namespace broch
