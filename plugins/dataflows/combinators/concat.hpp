// concat.hpp: all points of one dataflow, then all of the next. tensorpack: `ConcatData`.
//
// The index of the dataflow is mixed into the key, since points of different dataflows can have the
// same key. The cursor is the index of the dataflow that is being read, and the cursors of all.
#pragma once
#include <broch/broch.hpp>

#include "children.hpp"
#include "early_end.hpp"

namespace broch::dataflows {

struct ConcatOptions {
  std::vector<ChildDataFlow> dataflows;

  static constexpr auto schema = broch::options(
      broch::option("dataflows", &ConcatOptions::dataflows, "The dataflows, in this order.")
          .min_items(1));
};

class Concat final : public DataFlow, public Indexed {
 public:
  Concat(const Host& host, const ConcatOptions& options)
      : children_(options.dataflows, "concat"), part_(host) {}

  bool indexed() const override { return children_.indexed(); }
  void reset_state() override {
    children_.reset_state();
    sizes_ = children_.sizes();
    for (size_t i = 0; indexed() && i + 1 < sizes_.size(); ++i)
      if (!sizes_[i])
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "/dataflows/" + std::to_string(i) +
                        ": found a dataflow of unknown or endless size, expected one with a size, "
                        "since others follow it: put take around it");
  }
  std::optional<int64_t> size() override {
    int64_t sum = 0;
    for (const std::optional<int64_t> size : sizes_.empty() ? children_.sizes() : sizes_) {
      if (!size) return std::nullopt;
      if (__builtin_add_overflow(sum, *size, &sum))
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "/dataflows: found 2^63 points or more, expected less; put take around one");
    }
    return sum;
  }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    Position in_child = position;
    size_t child = 0;
    for (; child + 1 < sizes_.size() && in_child.index >= uint64_t(*sizes_[child]); ++child)
      in_child.index -= uint64_t(*sizes_[child]);
    if (!children_[child].read(in_child, cancel, point)) {
      if (child + 1 < sizes_.size()) refuse_early_end(in_child.index, uint64_t(*sizes_[child]));
      return false;
    }
    point.mix_key(child);
    return true;
  }

  void open(const std::string& cursor) override {
    current_ = 0;
    if (cursor.empty()) return children_.open();
    const std::vector<std::string> parts = unpack(cursor, 2, "concat");
    current_ = number_in(parts[0], "concat");
    children_.open(parts[1]);
  }
  std::optional<std::string> start_cursor() override { return cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    for (; current_ < children_.count(); ++current_) {
      if (!children_.next(current_, cancel, part_)) continue;
      part_.move_to(point);
      point.mix_key(current_);
      if (const auto at = cursor()) point.set_cursor(*at);
      return true;
    }
    return false;
  }

 private:
  std::optional<std::string> cursor() const {
    const auto of_children = children_.cursor();
    if (!of_children) return std::nullopt;
    return pack({std::to_string(current_), *of_children});
  }

  Children children_;
  std::vector<std::optional<int64_t>> sizes_;  // since reset_state
  Point part_;
  size_t current_ = 0;  // the child that is being read
};

}  // namespace broch::dataflows
