// job_costs.hpp: what a step of somebody's own run costs, and which part of it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "session/setup.hpp"

namespace broch::cli {

struct JobOptions {
  session::SetupOptions setup;
  bool null_runtime = false;
  std::string only;     // "data", "model", "callbacks"; "": all
  int64_t steps = 500;  // of each measurement
};

// Microseconds a step; what was not asked for, or is not there, is left out.
struct JobCosts {
  std::optional<double> whole;      // the run as its manifest has it
  std::optional<double> waiting;    // for data, of the whole
  std::optional<double> data;       // the points of a step, taken without a model
  std::optional<double> model;      // one data point again and again, default callbacks
  std::optional<double> callbacks;  // the rest of the whole
  std::string slowest_callback;     // by name; "": none took time

  // "data", "model", "callbacks", or "" when not all of it is known.
  std::string limit() const;
};

JobCosts measure_job(const JobOptions& options);

}  // namespace broch::cli
