// results.hpp: the trials of a sweep as a table and as a picture.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plot/parallel.hpp"
#include "sweep/spec.hpp"

namespace broch::sweep {

struct Result {
  int64_t trial = 0;
  Value id;  // null: there is none
  Value parameters;
  std::string state;  // "finished", "pruned", "failed", "running", "paused", …
  std::optional<double> value;
  int64_t epochs = 0;
  double seconds = 0;
  std::optional<int> exit;
  std::string log_dir;
  std::string why;  // of "failed" without an exit code that tells it
};

// The cells of a table with a header; parameters by their shortest unique names.
std::vector<std::vector<std::string>> table_of(const Spec& spec,
                                               const std::vector<Result>& results);
Value to_value(const Spec& spec, const std::vector<Result>& results);

// Parallel coordinates: an axis for each parameter, and the last one for the metric. A line is a
// trial that has a value. Nothing without any.
std::optional<plot::ParallelPicture> picture_of(const Spec& spec,
                                                const std::vector<Result>& results);

}  // namespace broch::sweep
