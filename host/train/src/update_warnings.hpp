// update_warnings.hpp: finds updates in tower functions that are never performed.
#pragma once
#include "plan/plans.hpp"
#include "train/hooked_runs.hpp"
#include "train/names.hpp"

namespace broch::train {

// Warns of updates in a collection that nothing runs. Without UPDATE_OPS, the statistics of batch
// norm would keep their initial values.
void warn_of_unrun_updates(const Towers& towers, const Executor& executor);

// Warns of an update anchored at a published name that is never computed.
void warn_of_unreached_updates(const Towers& towers, const Plans& plans, const HookedRuns& runs);

}  // namespace broch::train
