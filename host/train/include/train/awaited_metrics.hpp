// awaited_metrics.hpp: callbacks that wait for a metric are not triggered in silence for ever.
//
// A metric is due when nobody says that it puts it and everybody who says nothing of what it puts
// was triggered once, behind the steps of an epoch. A callback that waits for one that is due and
// not there is an error.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "abi/trigger_watch.hpp"
#include "broch/ext/run.h"
#include "plan/stop.hpp"
#include "train/monitors.hpp"
#include "train/names.hpp"

namespace broch::train {

// What is known of a callback, and of the inferencers inside of it, from their metadata.
struct MetricWords {
  const abi::Instance* callback = nullptr;
  std::string place;                  // in the manifest
  std::vector<std::string> produces;  // may put
  std::vector<std::string> consumes;  // waits for
  bool complete = false;              // it puts nothing else
};

class AwaitedMetrics final : public abi::TriggerWatch {
 public:
  struct Deps {
    const Monitors* monitors = nullptr;
    const broch_progress* progress = nullptr;
    Pending* pending = nullptr;
    // Of the model and of gradients, as far as summaries are collected.
    std::function<std::vector<std::string>()> summaries;
  };
  AwaitedMetrics(std::vector<MetricWords> words, Deps deps);

  void before_trigger(const abi::Instance& callback) override;
  void after_trigger(const abi::Instance& callback) override;
  // Training has come to its end: what was waited for and is due is an error now, too; what may
  // only come later a warning.
  void finish() const;

 private:
  struct Missing {
    const MetricWords* by;
    std::string name;
    bool operator<(const Missing& other) const {
      return std::tie(by, name) < std::tie(other.by, other.name);
    }
  };
  bool is_due(const std::string& name, const abi::Instance* waiting) const;
  std::string who_puts(const std::string& name) const;  // "" when nobody says so
  bool is_behind_steps() const;
  [[noreturn]] void refuse(const Missing& missing) const;

  std::vector<MetricWords> words_;
  Deps deps_;
  std::set<const abi::Instance*> triggered_;
  std::set<Missing> missed_;  // at some trigger
};

}  // namespace broch::train
