// stage_costs.hpp: measures what each stage of a dataflow costs. tensorpack: `TestDataSpeed`.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "data/flow.hpp"

namespace broch::data {

// A dataflow with everything inside it, and what of that is its own cost.
struct StageCost {
  std::string use;    // the id of the component
  int depth;          // 0: the outermost
  int64_t points;     // that were read
  double per_point;   // in microseconds, with the stages inside it
  double own;         // per_point, less the time of the points that it took from other stages
  double per_second;  // points
};

// Reads each dataflow of the nest on its own, the innermost first, for some seconds each.
std::vector<StageCost> measure_stages(Flow& flow, double seconds);

}  // namespace broch::data
