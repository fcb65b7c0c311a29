// take.cpp: the first data points of each round of a dataflow. tensorpack: `FixedSizeData`.
//
// The cursor is "COUNT:" and the cursor of the child.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  int64_t points;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to take from."),
      broch::option("points", &Options::points, "Maximal number of data points.").minimum(1));
};

class Take final : public broch::DataFlow {
 public:
  Take(const broch::Host& host, const Options& options)
      : child_(options.dataflow), part_(host), points_(options.points) {}

  void reset_state() override { child_.reset_state(); }

  void open(const std::string& cursor) override {
    taken_ = 0;
    if (cursor.empty()) return child_.open("");
    const size_t colon = cursor.find(':');
    if (colon == std::string::npos)
      throw broch::Error(BROCH_E_DATA_LOSS, "'" + cursor + "' is no cursor of take");
    taken_ = std::stoll(cursor.substr(0, colon));
    child_.open(cursor.substr(colon + 1));
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

  // A child of unknown size is assumed to have enough points.
  std::optional<int64_t> size() override {
    return std::min(child_.size().value_or(points_), points_);
  }

 private:
  broch::ChildDataFlow child_;
  broch::Point part_;
  int64_t points_;
  int64_t taken_ = 0;
};

}  // namespace

BROCH_DATAFLOW(Take, "broch.dataflow.take", "1.0.0", "Yields the first data points of a dataflow.",
               Options::schema)
