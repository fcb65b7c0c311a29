// watch_context.hpp: what gradient processors that observe a step may use.
#pragma once
#include "summary/moving_averages.hpp"
#include "summary/summaries.hpp"

namespace broch::optimizer {

struct WatchContext {
  runtime::Backend& backend;
  summary::MovingAverages* averages = nullptr;  // nullptr: no update in this step
  summary::SummaryBatch* summary = nullptr;     // nullptr: no summary in this step
};

}  // namespace broch::optimizer
