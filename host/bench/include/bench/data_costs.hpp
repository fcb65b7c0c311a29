// data_costs.hpp: measures the parts of a run's data: the stages of its dataflow, and the threads
// of its input source.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "bench/job_costs.hpp"
#include "data/stage_costs.hpp"

namespace broch::bench {

struct DataCosts {
  std::vector<data::StageCost> stages;    // empty: the input has no dataflow
  std::map<int64_t, double> per_threads;  // microseconds per step, by threads of the input source
};

// seconds: for each stage.
DataCosts measure_dataflow(const JobOptions& options, double seconds);

}  // namespace broch::bench
