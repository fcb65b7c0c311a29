// sweep.hpp: trains the trials of a sweep, several at a time, and continues where an earlier start
// was interrupted.
#pragma once
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sweep/results.hpp"
#include "sweep/spec.hpp"

namespace broch::sweep {

struct Options {
  std::vector<std::string> plugin_path;  // --plugin-path of every trial
  std::string runtime = "torch";         // --runtime of every trial
  bool retry = false;                    // starts failed trials again
};

struct Outcome {
  // ok; saved or a signal's: there is more to train; training: no trial has finished.
  base::Exit exit = base::Exit::ok;
  std::vector<Result> results{};  // the best one first, those without a value last
};

// Throws base::Error.
Outcome run(const Spec& spec, const Options& options);
// What there is so far; starts nothing, and may be called while a sweep runs.
Outcome show(const Spec& spec);

}  // namespace broch::sweep
