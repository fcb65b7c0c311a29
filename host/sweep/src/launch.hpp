// launch.hpp: how a trial is started.
#pragma once
#include <string>
#include <vector>

#include "child.hpp"
#include "sweep/trial.hpp"

namespace broch::sweep {

// Which of the trials that run side by side: it decides cores and device.
struct Slot {
  int64_t index;  // from 0, less than spec.parallel
};

struct Passed {
  std::vector<std::string> plugin_path;
  std::string runtime;
};

// The command line of a trial, without the program.
std::vector<std::string> train_words(const Spec& spec, const Trial& trial, const Passed& passed);

// Starts it. It runs on its share of the cores: slot K of N has every core from K * cores / N to
// (K + 1) * cores / N, at least one. It sees one device, if the sweep names any.
Child start_trial(const Spec& spec, const Trial& trial, const Slot& slot, const Passed& passed);

// Whether a process trains it, of this start of the sweep or of one that was killed.
bool is_running(const Spec& spec, const Trial& trial);

// The cores of a slot, of those on which this process may run.
cpu_set_t cores_of(const Slot& slot, int64_t slots, const cpu_set_t& usable);

}  // namespace broch::sweep
