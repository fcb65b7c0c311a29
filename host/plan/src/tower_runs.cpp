// tower_runs.cpp: memory that is reused from execution to execution.
#include "plan/tower_runs.hpp"

#include <algorithm>

namespace broch::plan {

void TowerRun::average(uint32_t index, size_t average) {
  if (std::ranges::find(averaged, index, &Averaged::index) == averaged.end())
    averaged.push_back({index, average});
}

void TowerRun::clear() {
  tower = nullptr;
  in_plan = takes_points = is_peer = took_point = false;
  costs.clear();
  averaged.clear();
  request.clear();
  fed.clear();
  point.clear();
  if (runner) runner->release();
  runner = nullptr;
  result = nullptr;
  kept.reset();
}

TowerRun& TowerRuns::add(tower::Tower* tower) {
  if (count_ == all_.size()) all_.emplace_back();
  all_[count_].tower = tower;
  return all_[count_++];
}

TowerRun* TowerRuns::find(const tower::Tower* tower) {
  TowerRun* const found = std::ranges::find(begin(), end(), tower, &TowerRun::tower);
  return found == end() ? nullptr : found;
}

void TowerRuns::sort() {
  if (count_ < 2) return;
  std::ranges::stable_sort(begin(), end(), {},
                           [](const TowerRun& run) { return run.tower->spec().index; });
}

void TowerRuns::clear() {
  for (TowerRun& run : *this) run.clear();
  count_ = 0;
}

}  // namespace broch::plan
