// update_warnings.cpp: compares the updates of towers with what plans and callbacks run.
#include "update_warnings.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "broch/ext/tower.h"

namespace broch::train {

void warn_of_unrun_updates(const Towers& towers, const Executor& executor) {
  if (executor.runs_collection(BROCH_UPDATE_OPS)) return;
  const std::string anchor = std::string(" @ ") + BROCH_UPDATE_OPS;
  for (const tower::Tower* tower : towers.training())
    if (tower && std::ranges::any_of(tower->registration().updates,
                                     [&](const auto& update) { return update.ends_with(anchor); }))
      return base::warning(
          "the model has updates in UPDATE_OPS (as those of batch_norm), but nothing runs them: "
          "add a callback that runs this collection");
}

void warn_of_unreached_updates(const Towers& towers, const Plans& plans, const HookedRuns& runs) {
  for (const tower::Tower* tower : towers.training()) {
    if (!tower) continue;
    for (const std::string& update : tower->registration().updates) {
      const std::string anchor = update.substr(update.find(" @ ") + 3);
      if (!tower->publishes(anchor) || plans.differentiates(*tower, anchor) ||
          runs.fetches(*tower, anchor))
        continue;
      base::warning(tower->describe() + " updates " + update.substr(0, update.find(" @ ")) +
                    " in runs that compute '" + anchor +
                    "', but no plan takes gradients of it and nobody fetches it: the update is "
                    "never made unless something does; anchor it at a collection such as "
                    "UPDATE_OPS to make it in every hooked run");
    }
  }
}

}  // namespace broch::train
