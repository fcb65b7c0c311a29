// watch_context.hpp: what those who only watch a run may use.
#pragma once
#include "summary/moving_averages.hpp"
#include "summary/summaries.hpp"

namespace broch::optimizer {

struct WatchContext {
  runtime::Backend& backend;
  summary::MovingAverages* averages = nullptr;  // nullptr: this run updates none
  summary::SummaryBatch* summary = nullptr;     // nullptr: nobody asks for one
};

}  // namespace broch::optimizer
