// positions.hpp: the positions of a dataflow that is read by index, in order.
#pragma once
#include <mutex>
#include <optional>

#include "child_data.hpp"

namespace broch {
inline namespace v0 {

// Gives out the positions of a child from a start on, for reading on several threads. If the child
// does not know how long its rounds are, or a round is shorter, some positions are given out that
// turn out to be behind the end of their round. Usable on all threads.
class Positions {
 public:
  // endless: a round follows each round; otherwise only that of start is given out.
  Positions(const ChildDataFlow& child, const Position& start, bool endless)
      : size_(child.size().value_or(0)), endless_(endless), next_(start) {}

  // No value: the last round is over.
  std::optional<Position> next() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (size_ > 0 && next_.index >= uint64_t(size_)) start_round();
    if (ended_) return std::nullopt;
    const Position position = next_;
    ++next_.index;
    return position;
  }
  // Reading has shown that the round of this position ends before it.
  void end_round(const Position& position) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (position.round == next_.round) start_round();
  }

 private:
  void start_round() {
    next_ = {next_.round + 1, 0};
    ended_ = !endless_;
  }

  int64_t size_;  // of a round; 0: unknown, so that a round ends where reading says
  bool endless_;
  std::mutex mutex_;
  Position next_;  // from here on: guarded by mutex_
  bool ended_ = false;
};

}  // namespace v0
}  // namespace broch
