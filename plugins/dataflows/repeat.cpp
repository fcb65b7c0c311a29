// repeat.cpp: repeats a dataflow several times, or endlessly. tensorpack: `RepeatedData`.
//
// The cursor of a stream is "ROUND:" and the cursor of the child, so a resumed run is in the same
// round. From the second repetition on, its number is mixed into the keys, so that transforms
// around repeat draw new random numbers.
#include <broch/broch.hpp>

#include "combinators/cursor_list.hpp"
#include "combinators/early_end.hpp"
#include "combinators/numbers_before.hpp"

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<int64_t> times;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to repeat."),
      broch::option("times", &Options::times, "Number of rounds to join to one; null: endless.")
          .minimum(1));
};

class Repeat final : public broch::DataFlow, public broch::Indexed {
 public:
  Repeat(const broch::Host& host, const Options& options)
      : child_(options.dataflow), part_(host), times_(options.times) {}

  void reset_state() override {
    child_.reset_state();
    if (!indexed()) return;
    const std::optional<int64_t> size = child_.size();
    if (!size)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/dataflow: found a dataflow that is endless, or does not know its size, "
                         "expected one with a size; remove 'repeat', or put 'take' around it");
    if (*size == 0) refuse_empty();
    size_ = uint64_t(*size);
  }
  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    if (!points || !times_) return std::nullopt;
    int64_t size = 0;
    if (__builtin_mul_overflow(*points, *times_, &size))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/times: found " + std::to_string(*times_) + " rounds of " +
                             std::to_string(*points) +
                             " points, expected less than 2^63 points in all; set it to null for "
                             "an endless dataflow");
    return size;
  }

  // After locate, a child has fewer points in its round, so the index of a point does not tell in
  // which round it is.
  bool indexed() const override { return child_.indexed() && !child_.has_locate(); }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    const uint64_t time = position.index / size_;
    if (times_ && time >= uint64_t(*times_)) return false;
    const uint64_t first = position.round * (times_ ? uint64_t(*times_) : kOfEndless);
    const uint64_t index = position.index % size_;
    if (!child_.read({first + time, index}, cancel, point))
      broch::dataflows::refuse_early_end(index, size_);
    if (time > 0) point.set_key(broch::mixed(point.key(), time));
    return true;
  }

  void open(const std::string& cursor) override {
    round_ = 0;
    yielded_ = false;
    if (cursor.empty()) return child_.open("");
    const auto of_child = broch::dataflows::after_numbers<int64_t>(cursor, {&round_});
    if (!of_child || round_ < 0) broch::dataflows::refuse_cursor(cursor, "repeat", "ROUND:CURSOR");
    yielded_ = true;
    child_.open(*of_child);
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
        move_part(point);
        return true;
      }
      if (!yielded_) refuse_empty();
      ++round_;
      yielded_ = false;
      if (!ends_after(round_)) child_.open("");
    }
    return false;
  }

 private:
  // Rounds of the child that an endless round may have before it comes to those of the next one. A
  // parent such as take begins a next one, and it has other rounds of the child.
  static constexpr uint64_t kOfEndless = uint64_t{1} << 32;

  bool ends_after(int64_t rounds) const { return times_ && rounds >= *times_; }

  void move_part(broch::PointWriter& point) {
    const std::string cursor = part_.cursor();
    const uint64_t key = part_.key();
    part_.move_to(point);
    if (!cursor.empty()) point.set_cursor(std::to_string(round_) + ":" + cursor);
    if (key != 0 && round_ > 0) point.set_key(broch::mixed(key, uint64_t(round_)));
  }

  [[noreturn]] static void refuse_empty() {
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "the dataflow to repeat yielded nothing in a whole round");
  }

  broch::ChildDataFlow child_;
  broch::Point part_;
  std::optional<int64_t> times_;
  uint64_t size_ = 0;  // of a round of the child, if it is read by index

  // Of a stream:
  int64_t round_ = 0;  // rounds that are finished
  bool yielded_ = false;
};

}  // namespace

BROCH_DATAFLOW(Repeat, "broch.dataflow.repeat", "1.1.0",
               "Repeats a dataflow several times, or endlessly.", Options::schema)
