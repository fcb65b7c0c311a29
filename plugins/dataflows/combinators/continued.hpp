// continued.hpp: rounds that a resumed run continues in the middle of a batch, or of the points of
// one step, because it has another batch size or number of ranks than before.
#pragma once
#include <atomic>
#include <broch/broch.hpp>
#include <map>
#include <mutex>

namespace broch::dataflows {

// Several readers can share a dataflow, and each continues where it was. So this is known of each
// round by itself; two readers that continue in one round have the beginning of the later one.
class Continued {
 public:
  // at.index: so many points are in front of the first batch of this round.
  void note(const Position& at) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (at.index > 0)
      points_[at.round] = at.index;
    else
      points_.erase(at.round);
    any_ = !points_.empty();
  }
  uint64_t points_before(uint64_t round) const {
    if (!any_) return 0;  // as in most runs, and without a lock
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = points_.find(round);
    return found == points_.end() ? 0 : found->second;
  }

 private:
  std::atomic<bool> any_{false};
  mutable std::mutex mutex_;
  std::map<uint64_t, uint64_t> points_;  // by round
};

}  // namespace broch::dataflows
