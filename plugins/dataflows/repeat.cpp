// repeat.cpp: repeats a dataflow several times, or for ever. tensorpack: `RepeatedData`.
//
// The cursor is "ROUND:" and the cursor of the child, so a resumed run is in the same round.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<int64_t> times;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to repeat."),
      broch::option("times", &Options::times, "Number of rounds; null: endless.").minimum(1));
};

class Repeat final : public broch::DataFlow {
 public:
  Repeat(const broch::Host& host, const Options& options)
      : child_(options.dataflow), part_(host), times_(options.times) {}

  void reset_state() override { child_.reset_state(); }

  void open(const std::string& cursor) override {
    round_ = 0;
    yielded_ = false;
    if (cursor.empty()) return child_.open("");
    const size_t colon = cursor.find(':');
    if (colon == std::string::npos)
      throw broch::Error(BROCH_E_DATA_LOSS, "'" + cursor + "' is no cursor of repeat");
    round_ = std::stoll(cursor.substr(0, colon));
    yielded_ = true;
    child_.open(cursor.substr(colon + 1));
  }

  std::optional<std::string> start_cursor() override {
    const std::optional<std::string> of_child = child_.start_cursor();
    if (!of_child) return std::nullopt;
    return std::to_string(round_) + ":" + *of_child;
  }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    while (!ends_after(round_)) {
      part_.clear();
      if (child_.next(cancel, part_)) {
        yielded_ = true;
        const std::string cursor = part_.cursor();
        part_.move_to(point);
        if (!cursor.empty()) point.set_cursor(std::to_string(round_) + ":" + cursor);
        return true;
      }
      if (!yielded_)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "the dataflow to repeat yielded nothing in a whole round");
      ++round_;
      yielded_ = false;
      if (!ends_after(round_)) child_.open("");
    }
    return false;
  }

  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    if (!points || !times_) return std::nullopt;
    return *points * *times_;
  }

 private:
  bool ends_after(int64_t rounds) const { return times_ && rounds >= *times_; }

  broch::ChildDataFlow child_;
  broch::Point part_;
  std::optional<int64_t> times_;
  int64_t round_ = 0;  // rounds that are finished
  bool yielded_ = false;
};

}  // namespace

BROCH_DATAFLOW(Repeat, "broch.dataflow.repeat", "1.0.0",
               "Repeats a dataflow several times, or endlessly.", Options::schema)
