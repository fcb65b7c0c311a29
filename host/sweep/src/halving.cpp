// halving.cpp: goes through the rungs with the values that are there.
#include "halving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace broch::sweep {
namespace {

constexpr size_t kMostRungs = 10000;

bool failed(const Trial& trial) { return trial.exit.value_or(0) != 0; }

bool has_reached(const Trial& trial, int64_t rung) { return trial.last_whole_epoch() >= rung; }

double value_at(const Trial& trial, const Spec& spec, int64_t rung) {
  return trial.value(spec, rung).value_or(std::numeric_limits<double>::quiet_NaN());
}

size_t kept_of(size_t count, double keep) {
  constexpr double kSlack = 1e-9;  // 0.1 * 30 is less than 3
  return std::max<size_t>(1, size_t(std::floor(keep * double(count) + kSlack)));
}

}  // namespace

std::vector<int64_t> rungs_of(const Spec& spec, int64_t max_epoch) {
  std::vector<int64_t> rungs;
  if (!spec.halving) return rungs;
  for (const int64_t rung : spec.halving->rungs)
    if (rung < max_epoch) rungs.push_back(rung);
  if (const int64_t every = spec.halving->every_epochs)
    for (int64_t rung = every; rung < max_epoch && rungs.size() < kMostRungs; rung += every)
      rungs.push_back(rung);
  return rungs;
}

std::vector<Decision> decide(const std::vector<Trial>& trials, const std::vector<int64_t>& rungs,
                             const Spec& spec) {
  std::vector<Decision> decisions(trials.size());
  std::vector<size_t> alive(trials.size());
  for (size_t i = 0; i < alive.size(); ++i) alive[i] = i;
  for (const int64_t rung : rungs) {
    std::erase_if(alive,
                  [&](size_t i) { return failed(trials[i]) && !has_reached(trials[i], rung); });
    if (alive.size() <= 1) break;
    const bool all_there = std::ranges::all_of(
        alive, [&](size_t i) { return trials[i].over() || has_reached(trials[i], rung); });
    if (!all_there) {
      for (const size_t i : alive)
        if (has_reached(trials[i], rung)) decisions[i] = {Decision::What::wait, rung};
      break;
    }
    std::ranges::stable_sort(alive, [&](size_t a, size_t b) {
      return spec.better(value_at(trials[a], spec, rung), value_at(trials[b], spec, rung));
    });
    const size_t kept = kept_of(alive.size(), spec.halving->keep);
    for (size_t i = kept; i < alive.size(); ++i)
      decisions[alive[i]] = {Decision::What::prune, rung};
    alive.resize(kept);
    std::ranges::sort(alive);
  }
  return decisions;
}

}  // namespace broch::sweep
