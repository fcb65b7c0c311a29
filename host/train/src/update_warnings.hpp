// update_warnings.hpp: updates of tower functions that are never made.
#pragma once
#include "plan/plans.hpp"
#include "train/hooked_runs.hpp"
#include "train/names.hpp"

namespace broch::train {

// Warns of updates in UPDATE_OPS, such as those of batch norm, when nothing runs them: the
// statistics stay as they were made.
void warn_of_unrun_updates(const Towers& towers, const Executor& executor);

// Warns of an update at a published name that no run computes.
void warn_of_unreached_updates(const Towers& towers, const Plans& plans, const HookedRuns& runs);

}  // namespace broch::train
