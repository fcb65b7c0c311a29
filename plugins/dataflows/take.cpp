// take.cpp: the first data points of each round of a dataflow. tensorpack:
// `FixedSizeData` with `keep_state=False`.
//
// The cursor of a stream is "COUNT:" and the cursor of the child.
#include <broch/broch.hpp>

#include "combinators/cursor_list.hpp"
#include "combinators/numbers_before.hpp"

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  int64_t points;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to take from."),
      broch::option("points", &Options::points, "Maximum number of data points in a round.")
          .minimum(1));
};

class Take final : public broch::DataFlow, public broch::Indexed {
 public:
  Take(const broch::Host& host, const Options& options)
      : child_(options.dataflow), part_(host), points_(options.points) {}

  void reset_state() override { child_.reset_state(); }
  // A child of unknown size is assumed to have enough points. Parents that depend on it notice if
  // it has not (combinators/early_end.hpp).
  std::optional<int64_t> size() override {
    return std::min(child_.size().value_or(points_), points_);
  }

  // After locate, a child counts its points from another one, so its indices cannot be compared
  // with the number of points.
  bool indexed() const override { return child_.indexed() && !child_.has_locate(); }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    return position.index < uint64_t(points_) && child_.read(position, cancel, point);
  }

  void open(const std::string& cursor) override {
    taken_ = 0;
    if (cursor.empty()) return child_.open("");
    const auto of_child = broch::dataflows::after_numbers<int64_t>(cursor, {&taken_});
    if (!of_child || taken_ < 0) broch::dataflows::refuse_cursor(cursor, "take", "COUNT:CURSOR");
    child_.open(*of_child);
  }
  std::optional<std::string> start_cursor() override {
    const std::optional<std::string> of_child = child_.start_cursor();
    if (!of_child) return std::nullopt;
    return std::to_string(taken_) + ":" + *of_child;
  }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (taken_ >= points_) return false;
    part_.clear();
    if (!child_.next(cancel, part_)) return false;
    ++taken_;
    const std::string cursor = part_.cursor();
    part_.move_to(point);
    if (!cursor.empty()) point.set_cursor(std::to_string(taken_) + ":" + cursor);
    return true;
  }

 private:
  broch::ChildDataFlow child_;
  broch::Point part_;
  int64_t points_;
  int64_t taken_ = 0;
};

}  // namespace

BROCH_DATAFLOW(Take, "broch.dataflow.take", "1.1.0",
               "Yields the first data points of each round of a dataflow.", Options::schema)
