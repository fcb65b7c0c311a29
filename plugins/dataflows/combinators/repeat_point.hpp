// repeat_point.hpp: each point several times in a row. tensorpack: `RepeatedDataPoint`.
//
// The number of the repetition is mixed into the key, so that random transforms give different
// results for each. The cursor is the number of repetitions of the current point, and the cursor of
// the child before that point; 0 repetitions: the cursor after it.
#pragma once
#include <broch/broch.hpp>

#include "cursor_list.hpp"

namespace broch::dataflows {

struct RepeatPointOptions {
  ChildDataFlow dataflow;
  uint64_t times;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &RepeatPointOptions::dataflow, "The dataflow."),
      broch::option("times", &RepeatPointOptions::times, "How many times each point is yielded.")
          .minimum(1));
};

class RepeatPoint final : public DataFlow, public Indexed {
 public:
  RepeatPoint(const Host& host, const RepeatPointOptions& options)
      : child_(options.dataflow), part_(host), times_(options.times) {}

  bool indexed() const override { return child_.indexed(); }
  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    if (!points) return std::nullopt;
    int64_t size = 0;
    if (__builtin_mul_overflow(*points, int64_t(times_), &size))
      throw Error(BROCH_E_INVALID_ARGUMENT, "/times: found " + std::to_string(times_) +
                                                " times each of " + std::to_string(*points) +
                                                " points, expected less than 2^63 points in all; "
                                                "make it smaller");
    return size;
  }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (!child_.read({position.round, position.index / times_}, cancel, point)) return false;
    point.mix_key(position.index % times_);
    return true;
  }

  void open(const std::string& cursor) override {
    done_ = skipped_ = 0;
    if (cursor.empty()) {
      child_.open("");
      before_ = child_.start_cursor().value_or("");
      return;
    }
    const std::vector<std::string> parts = unpack(cursor, 2, "repeat-point");
    skipped_ = number_in(parts[0], "repeat-point");
    if (skipped_ >= times_)
      refuse_cursor(cursor, "repeat-point", "less than " + std::to_string(times_) + " repetitions");
    before_ = parts[1];
    child_.open(before_);
  }
  std::optional<std::string> start_cursor() override {
    return pack({std::to_string(skipped_), before_});
  }
  bool next(const Cancel& cancel, PointWriter& point) override {
    if (done_ == 0) {
      part_.clear();
      if (!child_.next(cancel, part_)) return false;
      done_ = std::exchange(skipped_, 0);
    }
    for (uint32_t i = 0, n = part_.size(); i < n; ++i) point.add(part_.view(i), part_.name(i));
    if (const uint64_t key = part_.key()) point.set_key(mixed(key, done_));
    const std::string after = part_.cursor();
    if (++done_ == times_) {
      done_ = 0;
      before_ = after;
    }
    if (!after.empty()) point.set_cursor(pack({std::to_string(done_), before_}));
    return true;
  }

 private:
  ChildDataFlow child_;
  Point part_;
  uint64_t times_;
  uint64_t done_ = 0;     // repetitions of part_ that were yielded; 0: part_ is used up
  uint64_t skipped_ = 0;  // of the next point of the child, which were yielded before a resume
  std::string before_;    // the cursor of the child before part_
};

}  // namespace broch::dataflows
