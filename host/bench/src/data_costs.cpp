// data_costs.cpp: only a dataflow that is read by index can be read by several threads.
#include "bench/data_costs.hpp"

namespace broch::bench {

DataCosts measure_dataflow(const JobOptions& options, double seconds) {
  DataCosts costs;
  const session::Setup setup(options.setup);
  if (!setup.input() || !data::dataflow_in(*setup.input())) return costs;
  data::Flow flow(options.setup);
  costs.stages = data::measure_stages(flow, seconds);
  if (flow.is_indexed()) costs.per_threads = measure_input_threads(options);
  return costs;
}

}  // namespace broch::bench
