// grouped_batches.hpp: batches of points that belong to the same group, in the order in which
// groups become full.
//
// What comes next depends only on the points that wait in groups and on those that follow, so that
// a cursor with the numbers of the waiting points is exact (replay.hpp).
#pragma once
#include <algorithm>
#include <map>

#include "replay.hpp"

namespace broch::dataflows {

class GroupedBatches : public DataFlow {
 public:
  void reset_state() override { replay_.reset_state(); }
  void open(const std::string& cursor) override {
    groups_.clear();
    waiting_ = 0;
    is_open_ = is_ended_ = false;
    replay_.open(cursor);
  }
  std::optional<std::string> start_cursor() override { return replay_.start_cursor(); }

  bool next(const Cancel& cancel, PointWriter& batch) override {
    if (!std::exchange(is_open_, true))
      for (Kept& one : replay_.take_kept(cancel)) add(std::move(one));
    // A run that is resumed with a smaller batch size begins with groups that are full.
    for (const auto& [group, kept] : groups_)
      if (kept.size() >= batch_size_of(group)) return emit(group, batch);
    for (;;) {
      if (is_ended_) {
        if (waiting_ == 0 || !remainder_) return false;
        return emit(oldest_group(), batch);
      }
      std::optional<Kept> one = replay_.next(cancel);
      if (!one) {
        is_ended_ = true;
        continue;
      }
      const std::string* group = add(std::move(*one));
      if (!group) continue;
      if (groups_[*group].size() >= batch_size_of(*group)) return emit(*group, batch);
      if (waiting_ > most_waiting_) return emit(oldest_group(), batch);
    }
  }

 protected:
  // most_waiting: if more points wait than this, the group with the oldest one is yielded as a
  // smaller batch. remainder: what waits at the end of a round is yielded; otherwise it is dropped.
  GroupedBatches(const Host& host, const ChildDataFlow& child, const char* name,
                 size_t most_waiting, bool remainder)
      : replay_(host, child, name), most_waiting_(most_waiting), remainder_(remainder) {}

  // No value: the point is left out.
  virtual std::optional<std::string> group_of(const Point& point) = 0;
  virtual size_t batch_size_of(const std::string& group) = 0;
  virtual void write(const std::string& group, const std::vector<const Point*>& points,
                     PointWriter& batch) = 0;

 private:
  // The group of the point. nullptr: it is left out.
  const std::string* add(Kept one) {
    const std::optional<std::string> group = group_of(one.point);
    if (!group) return nullptr;
    const auto it = groups_.try_emplace(*group).first;
    it->second.push_back(std::move(one));
    ++waiting_;
    return &it->first;
  }
  std::string oldest_group() const {
    const auto first = [](const auto& group) { return group.second[0].number; };
    return std::min_element(groups_.begin(), groups_.end(),
                            [&](const auto& a, const auto& b) { return first(a) < first(b); })
        ->first;
  }
  // Yields the oldest points of the group, at most as many as a batch has.
  bool emit(const std::string& name, PointWriter& batch) {
    const auto found = groups_.find(name);
    std::vector<Kept>& waiting = found->second;
    const size_t size = std::min(waiting.size(), batch_size_of(name));
    std::vector<const Point*> points;
    for (size_t i = 0; i < size; ++i) points.push_back(&waiting[i].point);
    write(name, points, batch);
    waiting_ -= size;
    waiting.erase(waiting.begin(), waiting.begin() + std::ptrdiff_t(size));
    if (waiting.empty()) groups_.erase(found);
    std::vector<const Kept*> rest;
    for (const auto& [group, kept] : groups_)
      for (const Kept& one : kept) rest.push_back(&one);
    std::sort(rest.begin(), rest.end(),
              [](const Kept* a, const Kept* b) { return a->number < b->number; });
    if (const auto cursor = replay_.cursor(rest)) batch.set_cursor(*cursor);
    return true;
  }

  Replay replay_;
  size_t most_waiting_;
  bool remainder_;
  std::map<std::string, std::vector<Kept>> groups_;  // none is empty
  size_t waiting_ = 0;                               // points in all groups
  bool is_open_ = false;                             // the points of the cursor are in groups_
  bool is_ended_ = false;                            // the child has ended
};

}  // namespace broch::dataflows
