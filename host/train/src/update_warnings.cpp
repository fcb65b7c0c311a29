// update_warnings.cpp: compares the updates of towers with what plans and callbacks run.
#include "update_warnings.hpp"

#include <algorithm>
#include <set>

#include "base/log.hpp"
#include "broch/ext/tower.h"

namespace broch::train {

namespace {

std::string anchor_of(const std::string& update) { return update.substr(update.find(" @ ") + 3); }

bool has_collection(const tower::Tower& tower, const std::string& name) {
  return std::ranges::any_of(tower.collections(),
                             [&](const tower::Collection& one) { return one.name == name; });
}

}  // namespace

void warn_of_unrun_updates(const Towers& towers, const Executor& executor) {
  std::set<std::string> told;
  for (const tower::Tower* tower : towers.training()) {
    if (!tower) continue;
    for (const std::string& update : tower->registration().updates) {
      const std::string anchor = anchor_of(update);
      if (!has_collection(*tower, anchor) || executor.runs_collection(anchor)) continue;
      if (!told.insert(anchor).second) continue;
      base::warning("the model has updates in " + anchor +
                    (anchor == BROCH_UPDATE_OPS ? " (as those of batch_norm)" : "") +
                    ", but nothing runs them: add a callback that runs this collection");
    }
  }
}

void warn_of_unreached_updates(const Towers& towers, const Plans& plans, const HookedRuns& runs) {
  for (const tower::Tower* tower : towers.training()) {
    if (!tower) continue;
    for (const std::string& update : tower->registration().updates) {
      const std::string anchor = anchor_of(update);
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
