// awaited_metrics.hpp: reports callbacks that wait for a metric which never comes.
//
// A metric is overdue if the steps of an epoch are done, nobody declares to produce it, and every
// callback that does not declare all its metrics was triggered at least once. It is an error if a
// callback waits for an overdue metric that does not exist.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "abi/trigger_watch.hpp"
#include "broch/ext/progress.h"
#include "monitors/monitors.hpp"
#include "plan/stop.hpp"
#include "train/names.hpp"

namespace broch::train {

// The metrics of a callback and of the inferencers in it, according to their metadata.
struct MetricWords {
  const abi::Instance* callback = nullptr;
  std::string place;                  // in the manifest
  std::vector<std::string> produces;  // metrics it may produce
  std::vector<std::string> consumes;  // metrics it waits for
  bool complete = false;              // `produces` has everything it produces
};

class AwaitedMetrics final : public abi::TriggerWatch {
 public:
  struct Deps {
    const Monitors* monitors = nullptr;
    const broch_progress* progress = nullptr;
    Pending* pending = nullptr;
    // Names of costs, of hyper-parameters, and of the summaries of the model and of gradients, if
    // summaries are collected.
    std::function<std::vector<std::string>()> of_training;
  };
  AwaitedMetrics(std::vector<MetricWords> words, Deps deps);

  // To be called before the first step. If every callback lists its metrics, there is a warning
  // about each name that nothing known sets; what is no callback may still set it without a list.
  void begin() const;
  void before_trigger(const abi::Instance& callback) override;
  void after_trigger(const abi::Instance& callback) override;
  // To be called when training has ended. A callback that waited for an overdue metric is an error
  // now as well; if the metric could still have come, there is a warning.
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
  std::string who_puts(const std::string& name) const;  // "" if nobody does
  bool is_behind_steps() const;
  std::vector<std::string> listed() const;  // and those set so far
  [[noreturn]] void refuse(const Missing& missing) const;

  std::vector<MetricWords> words_;
  Deps deps_;
  std::set<const abi::Instance*> triggered_;
  std::set<Missing> missed_;  // missing at some trigger
};

}  // namespace broch::train
