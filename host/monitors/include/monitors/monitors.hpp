// monitors.hpp: passes scalars and images to every monitor in order, and records the history.
// What a monitor fails to receive does not end the training. One that has a queue receives it
// later.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/roles.hpp"
#include "broch/ext/metrics.h"
#include "broch/ext/progress.h"
#include "monitors/monitor_failures.hpp"
#include "monitors/monitor_queue.hpp"
#include "monitors/monitor_times.hpp"

namespace broch::monitors {

// Removes every "towerN/" and a trailing "-summary".
std::string clean_tag(std::string_view tag);

class Monitors {
 public:
  explicit Monitors(const broch_progress& progress) : progress_(progress) {}

  // Returns its queue; nullptr: it has none.
  MonitorQueue* add(abi::Instance& instance);

  void put_scalar(const char* name, double value);
  void put_image(const char* name, const broch_dl_tensor& image);
  void put_summary(std::span<const broch_summary_value> values);
  void put_event(const char* kind, const void* data, uint64_t size);

  // From drop_scalars on, scalars are dropped until keep_scalars: before_train of a resumed run
  // repeats those of the first run.
  void drop_scalars() { dropping_ = true; }
  void keep_scalars() { dropping_ = false; }

  // From hold_scalars on, scalars wait for pass_scalars or forget_scalars: callbacks in front of
  // the step counter put them for the step that it has yet to count.
  void hold_scalars() { holding_ = true; }
  void pass_scalars();
  void forget_scalars();

  // nullptr: there is none.
  const broch_metric_point* latest(std::string_view name) const;
  // Oldest first; empty for an unknown name. Valid until the next value is put.
  std::span<const broch_metric_point> history(std::string_view name) const;
  std::vector<std::string> names() const;

  using History = std::map<std::string, std::vector<broch_metric_point>, std::less<>>;
  const History& all() const { return history_; }
  // Restores the history of an earlier run.
  void restore(History history) { history_ = std::move(history); }

  // Before a call of this monitor, or of a component within it: waits until it has received what it
  // should. False: it does not return from a call, so this call must not be made.
  bool settle(const abi::Instance& instance);
  // At the end of the training: waits for all. Failures are only logged.
  void finish();
  // Logs what went wrong with them.
  void report() const;
  // Whether one of them does not return from a call: end the process without destroying instances.
  bool has_stuck() const;

  MonitorFailures& failures() { return failures_; }
  MonitorTimes& times() { return times_; }

 private:
  class Passing;
  struct Entry {
    abi::Monitor monitor;
    MonitorTimes::One& time;
    std::unique_ptr<MonitorQueue> queue;
  };
  // entry: of the table. copy: makes the same call with arguments of its own.
  template <class Member, class Call, class Copy>
  void each(Member broch_monitor::*entry, Call&& call, Copy&& copy);
  void scalar(const char* name, double value);
  // Warns of the first value of a metric that is not finite.
  void tell_not_finite(const char* name, double value);
  void summary(std::span<const broch_summary_value> values);

  const broch_progress& progress_;
  MonitorFailures failures_;
  MonitorTimes times_;
  std::vector<Entry> monitors_;  // whose threads use failures_
  History history_;
  std::set<std::string, std::less<>> not_finite_;  // those that were told
  std::vector<std::pair<std::string, double>> held_;
  bool holding_ = false;
  bool dropping_ = false;
  bool passing_ = false;
};

}  // namespace broch::monitors
