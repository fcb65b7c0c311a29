// shuffle.cpp: yields the data points of a dataflow in a new random order in each round.
// tensorpack: `LocallyShuffleData`.
//
// The order of round r depends only on the seed and r. For an indexed dataflow it is computed, for
// a round of any length. A stream is read into memory in blocks, each of which is shuffled; by
// default a round is one block. The cursor of a stream is "ROUND:BLOCK:POSITION:" and the cursor of
// the child before the block; position -1 is before the first point. To continue, the block is read
// again. If the child gives its points no cursors, so does shuffle: such a child may yield other
// points each time, such as messages from a network.
#include <broch/broch.hpp>
#include <numeric>

#include "combinators/cursor_list.hpp"
#include "combinators/early_end.hpp"
#include "combinators/numbers_before.hpp"
#include "permutation.hpp"

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<uint64_t> buffer;
  std::optional<int64_t> seed;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow,
                    "The dataflow to shuffle, with the same points in each round; an indexed one "
                    "must know its size."),
      broch::option("buffer", &Options::buffer,
                    "For a stream: the number of points that are read into memory and shuffled at "
                    "a time; null: a whole round.")
          .minimum(1),
      broch::option("seed", &Options::seed,
                    "The seed of the order; null: derived from the run's seed."));
};

class Shuffle final : public broch::DataFlow, public broch::Indexed {
 public:
  Shuffle(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        buffer_(options.buffer.value_or(UINT64_MAX)),
        seed_(options.seed ? uint64_t(*options.seed) : broch::Instance(host).seed()) {}

  void reset_state() override {
    child_.reset_state();
    if (!child_.indexed()) return;
    const std::optional<int64_t> size = child_.size();
    if (!size)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/dataflow: found a dataflow that is endless, or does not know its size, "
                         "expected one with a size; put 'repeat' around 'shuffle'");
    size_ = uint64_t(*size);
  }
  std::optional<int64_t> size() override { return child_.size(); }

  bool indexed() const override { return child_.indexed(); }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    if (position.index >= size_) return false;
    const dataflows::Permutation order(size_, key_of(position.round));
    const uint64_t index = order(position.index);
    if (!child_.read({position.round, index}, cancel, point))
      broch::dataflows::refuse_early_end(index, size_);
    return true;
  }

  void open(const std::string& cursor) override {
    skipped_ = 0;
    complete_ = true;
    if (cursor.empty()) {
      ++round_;
      child_.open("");
      start_block(0, child_.start_cursor().value_or(""));
    } else {
      continue_after(cursor);
    }
  }
  std::optional<std::string> start_cursor() override { return cursor_at(int64_t(position_) - 1); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    for (;;) {
      if (order_.empty()) fill(cancel);
      if (position_ < order_.size()) break;
      if (points_.size() < buffer_) return false;  // the child has ended
      start_block(block_ + 1, end_);
    }
    points_[order_[position_]].move_to(point);
    if (complete_) point.set_cursor(cursor_at(int64_t(position_)));
    ++position_;
    return true;
  }

 private:
  uint64_t key_of(uint64_t round) const { return broch::mixed(seed_, round); }

  void start_block(uint64_t block, const std::string& start) {
    block_ = block;
    position_ = 0;
    start_ = start;
    end_.clear();
    points_.clear();
    order_.clear();
  }

  void continue_after(const std::string& cursor) {
    int64_t block = 0, position = 0;
    const auto start =
        broch::dataflows::after_numbers<int64_t>(cursor, {&round_, &block, &position});
    if (!start || round_ < 0 || block < 0 || position < -1)
      broch::dataflows::refuse_cursor(cursor, "shuffle", "ROUND:BLOCK:POSITION:CURSOR");
    start_block(uint64_t(block), *start);
    position_ = uint64_t(position + 1);
    child_.open(start_);
    // Earlier versions made cursors for a child without cursors: it is read from its beginning.
    skipped_ = start_.empty() ? block_ * buffer_ : 0;
  }

  std::string cursor_at(int64_t position) const {
    return std::to_string(round_) + ":" + std::to_string(block_) + ":" + std::to_string(position) +
           ":" + start_;
  }

  // Reads the block and draws its order (Fisher and Yates). Continues if it was cancelled before.
  void fill(const broch::Cancel& cancel) {
    for (; skipped_ > 0; --skipped_) {
      if (cancel.cancelled()) throw broch::Cancelled();
      if (child_.next(cancel, broch::Point(host_))) continue;
      skipped_ = 0;  // buffer was smaller when the cursor was made: the round is over
      return;
    }
    while (points_.size() < buffer_) {
      if (cancel.cancelled()) throw broch::Cancelled();
      broch::Point point(host_);
      if (!child_.next(cancel, point)) break;
      end_ = point.cursor();
      complete_ = complete_ && !end_.empty();
      points_.push_back(std::move(point));
    }
    order_.resize(points_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    broch::Draws draws(broch::mixed(key_of(uint64_t(round_)), block_));
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[draws.below(i)]);
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  uint64_t buffer_, seed_;
  uint64_t size_ = 0;  // of a round, if the child can be read by index

  // Of a stream:
  int64_t round_ = -1;
  uint64_t block_ = 0, position_ = 0;
  std::string start_, end_;           // cursors of the child before and after the block
  bool complete_ = true;              // each point of the child since open had a cursor
  uint64_t skipped_ = 0;              // points of the child that are read before the block
  std::vector<broch::Point> points_;  // those that were yielded are empty
  std::vector<size_t> order_;         // empty: the block has not been read
};

}  // namespace

BROCH_DATAFLOW(Shuffle, "broch.dataflow.shuffle", "2.0.0",
               "Yields the data points of a dataflow in a new random order in each round.",
               Options::schema, broch::reorders("dataflow"))
