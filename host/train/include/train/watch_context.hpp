// watch_context.hpp: what those who only watch a run may use.
#pragma once
#include "train/moving_averages.hpp"
#include "train/summaries.hpp"

namespace broch::train {

struct WatchContext {
  runtime::Backend& backend;
  MovingAverages* averages = nullptr;  // nullptr: this run updates none
  SummaryBatch* summary = nullptr;     // nullptr: nobody asks for one
};

}  // namespace broch::train
