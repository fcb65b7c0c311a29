// job_costs.hpp: measures what a step of a run costs, and which part of it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "session/setup.hpp"

namespace broch::bench {

struct JobOptions {
  session::SetupOptions setup;
  bool null_runtime = false;
  std::string only;     // "data", "model", "callbacks"; "": all
  int64_t steps = 500;  // per measurement
};

// Microseconds per step. A part is missing if it was not measured or does not exist.
struct JobCosts {
  std::optional<double> whole;      // the run with everything in its manifest
  std::optional<double> waiting;    // part of whole: waiting for data
  std::optional<double> data;       // the data points of a step, without a model
  std::optional<double> model;      // the same data point each time, default callbacks only
  std::optional<double> callbacks;  // the whole without waiting and model
  std::string slowest_callback;     // by name; "" if none took time

  // "data", "model" or "callbacks", whichever takes most; "" if not everything was measured.
  std::string limit() const;
};

JobCosts measure_job(const JobOptions& options);

// Microseconds per step for the data, by the number of threads of the input source: for 1 and 2.
// Empty if the input source has no option "threads".
std::map<int64_t, double> measure_input_threads(const JobOptions& options);

}  // namespace broch::bench
