// watch_context.hpp: what those who only watch a run may use.
#pragma once
#include "tower/moving_averages.hpp"
#include "tower/summaries.hpp"

namespace broch::optimizer {

struct WatchContext {
  runtime::Backend& backend;
  tower::MovingAverages* averages = nullptr;  // nullptr: this run updates none
  tower::SummaryBatch* summary = nullptr;     // nullptr: nobody asks for one
};

}  // namespace broch::optimizer
