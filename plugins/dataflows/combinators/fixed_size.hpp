// fixed_size.hpp: rounds of a fixed size, each of which continues where the last one ended.
// tensorpack: `FixedSizeData`.
//
// When the child ends, its next round follows. The cursor is the number of points in this round,
// and the cursor of the child.
#pragma once
#include <broch/broch.hpp>

#include "cursor_list.hpp"
#include "early_end.hpp"

namespace broch::dataflows {

struct FixedSizeOptions {
  ChildDataFlow dataflow;
  uint64_t points;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &FixedSizeOptions::dataflow, "The dataflow to divide into rounds."),
      broch::option("points", &FixedSizeOptions::points, "Number of data points in a round.")
          .minimum(1));
};

class FixedSize final : public DataFlow, public Indexed {
 public:
  FixedSize(const Host& host, const FixedSizeOptions& options)
      : child_(options.dataflow), part_(host), points_(options.points) {}

  bool indexed() const override { return child_.indexed(); }
  void reset_state() override {
    child_.reset_state();
    if (indexed()) size_of_child_ = child_.size();
    if (size_of_child_ == 0) refuse_empty();
  }
  std::optional<int64_t> size() override { return int64_t(points_); }

  // Where the next round of a child of unknown size would begin is not known, so it has to be
  // endless.
  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (position.index >= points_) return false;
    const uint64_t place = position.round * points_ + position.index;
    if (!size_of_child_) {
      if (child_.read({0, place}, cancel, point)) return true;
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "the dataflow in fixed-size ends before point " + std::to_string(place) +
                      ", expected an endless one, since its size is not known: put take around it");
    }
    const uint64_t size = uint64_t(*size_of_child_);
    if (!child_.read({place / size, place % size}, cancel, point))
      refuse_early_end(place % size, size);
    return true;
  }

  void open(const std::string& cursor) override {
    taken_ = 0;
    if (!cursor.empty()) {
      const std::vector<std::string> parts = unpack(cursor, 2, "fixed-size");
      taken_ = number_in(parts[0], "fixed-size");
      child_.open(parts[1]);
      of_child_ = parts[1];
      is_open_ = true;
      yielded_ = true;
    } else if (!is_open_) {
      begin_child();
    }
  }
  std::optional<std::string> start_cursor() override { return cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    if (taken_ >= points_) return false;
    part_.clear();
    while (!child_.next(cancel, part_)) {
      if (!yielded_) refuse_empty();
      begin_child();
    }
    yielded_ = true;
    ++taken_;
    of_child_ = part_.cursor();
    part_.move_to(point);
    if (const auto at = cursor(); at && !of_child_->empty()) point.set_cursor(*at);
    return true;
  }

 private:
  [[noreturn]] static void refuse_empty() {
    throw Error(
        BROCH_E_INVALID_ARGUMENT,
        "the dataflow in fixed-size yielded nothing in a whole round, expected at least one "
        "point");
  }
  void begin_child() {
    child_.open("");
    of_child_ = child_.start_cursor();
    is_open_ = true;
    yielded_ = false;
  }
  std::optional<std::string> cursor() const {
    if (!of_child_) return std::nullopt;
    return pack({std::to_string(taken_), *of_child_});
  }

  ChildDataFlow child_;
  Point part_;
  uint64_t points_;
  std::optional<int64_t> size_of_child_;
  // Of a stream:
  uint64_t taken_ = 0;
  std::optional<std::string> of_child_;
  bool is_open_ = false;
  bool yielded_ = false;  // in this round of the child
};

}  // namespace broch::dataflows
