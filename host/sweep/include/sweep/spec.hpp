// spec.hpp: what a SWEEP.json describes; docs/sweep.md explains it to users.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweep/parameter.hpp"
#include "value/value.hpp"

namespace broch::sweep {

// Halving: after the epochs of each rung, the best part of the trials goes on.
struct Halving {
  std::vector<int64_t> rungs;  // ascending; empty: every_epochs
  int64_t every_epochs = 0;
  double keep = 0.5;
};

// How the parameters of trials are chosen.
struct Method {
  enum class Kind { grid, random, command };
  Kind kind = Kind::grid;
  std::optional<int64_t> trials;  // of random; of command, the most
  uint64_t seed = 0;
  std::vector<std::string> command;
  double timeout = 60;  // seconds
};

struct Spec {
  std::string file;              // the SWEEP.json
  std::string directory;         // its folder, absolute; the program of a command starts there
  std::string manifest, folder;  // absolute paths
  std::vector<std::string> overrides;
  std::vector<Parameter> parameters;
  Method method;
  std::string metric;
  bool smallest_is_best = true;
  bool best_counts = false;  // the best value of a trial counts, not the last
  int64_t parallel = 1;
  std::vector<int64_t> devices;  // numbers of GPUs; empty: not chosen by the sweep
  std::optional<Halving> halving;
  Value value;  // the checked JSON, with the origin of each part

  // Whether value a is better than b; any number is better than NaN.
  bool better(double a, double b) const;
};

// Throws base::Error: data if the file cannot be read, manifest with the place of each mistake.
Spec read_spec(const std::string& file);

}  // namespace broch::sweep
