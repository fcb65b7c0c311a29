// monitor_failures.hpp: failures of monitors, which do not end a training.
//
// A monitor only looks at a training: if its disk is full or its server is gone, the training goes
// on, and what this monitor should have kept is lost. The start is not covered: a monitor that
// fails in setup_graph or before_train ends the training, as every component does.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "abi/instance.hpp"
#include "base/error.hpp"

namespace broch::monitors {

class MonitorFailures {
 public:
  // Makes a call to a monitor. If it fails, the first failure of this monitor is logged, later ones
  // are counted. Numbers that are not finite, too little memory and the like do end the training:
  // only failures of the plugin itself and of its files are passed over.
  template <class Call>
  void pass_over(const abi::Instance& monitor, Call&& call) {
    try {
      call();
    } catch (const base::Error& error) {
      if (error.exit() != base::Exit::training && error.exit() != base::Exit::data) throw;
      note(monitor, error);
    }
  }

  // Logs, for each monitor that has failed, how often.
  void report() const;

 private:
  struct Failed {
    const abi::Instance* monitor;
    uint64_t times;
    std::string first;  // the message
  };
  void note(const abi::Instance& monitor, const base::Error& error);

  mutable std::mutex mutex_;  // monitors with a queue fail on its thread
  std::vector<Failed> failed_;
};

}  // namespace broch::monitors
