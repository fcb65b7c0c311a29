// shard.cpp: the part of one rank of a dataflow that all ranks read in the same order. PyTorch:
// `DistributedSampler`.
//
// Of every `world` consecutive points, rank r yields number r. Points that are left over at the end
// are dropped, so that all ranks yield equally many.
//
// If the dataflow is indexed, the cursor of a point is "ROUND:NEXT", where NEXT is the
// index in the dataflow that follows the `world` points of the step. So a run can be resumed with
// another number of ranks: the rest of that round is then divided anew. In a stream, the cursor is
// that of the last of the `world` points.
#include <broch/broch.hpp>
#include <mutex>

#include "combinators/continued.hpp"
#include "combinators/early_end.hpp"

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<int64_t> rank, world;

  static constexpr auto schema = broch::options(
      broch::option(
          "dataflow", &Options::dataflow,
          "The dataflow to divide. Everything inside of shard has the same seed on all ranks.")
          .same_seed(),
      broch::option("rank", &Options::rank, "The rank whose part to yield; null: this rank.")
          .minimum(0),
      broch::option("world", &Options::world, "Number of parts; null: the number of ranks.")
          .minimum(1));
};

// Which points a dataflow has that does not know its size. It is asked for points far ahead, so
// that few points are read only for that.
class Extent {
 public:
  Extent(const broch::Host& host, const broch::ChildDataFlow& child) : host_(host), child_(child) {}

  // Whether it has the point at first and those after it, up to the index end. Throws if one of
  // them cannot be read, but not for a point behind the end of the round, as there are in a mix.
  bool contains(const broch::Position& first, uint64_t end, const broch::Cancel& cancel) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (first.round != known_.round) known_ = {first.round, 0};
    if (end <= known_.index || find_ahead(end, cancel)) return true;
    try {
      if (!has(end - 1, cancel)) return false;
    } catch (const broch::Cancelled&) {
      throw;
    } catch (const broch::Error&) {
      for (uint64_t index = first.index; index + 1 < end; ++index)
        if (!has(index, cancel)) return false;
      throw;
    }
    known_.index = end;
    return true;
  }

 private:
  static constexpr uint64_t kAhead = 1000;

  bool has(uint64_t index, const broch::Cancel& cancel) const {
    return child_.read({known_.round, index}, cancel, broch::Point(host_));
  }
  bool find_ahead(uint64_t end, const broch::Cancel& cancel) try {
    if (!has(end - 1 + kAhead, cancel)) return false;
    known_.index = end + kAhead;
    return true;
  } catch (const broch::Cancelled&) {
    throw;
  } catch (const broch::Error&) {
    return false;  // perhaps the round ends before
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  std::mutex mutex_;
  broch::Position known_;  // its round has points at all indices before it
};

class Shard final : public broch::DataFlow, public broch::Indexed {
 public:
  Shard(const broch::Host& host, const Options& options)
      : child_(options.dataflow), own_(host), other_(host), extent_(host, options.dataflow) {
    const broch::Dist dist(host);
    const int64_t rank = options.rank.value_or(dist.rank());
    const int64_t world = options.world.value_or(dist.world());
    if (rank >= world)
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "rank " + std::to_string(rank) + " of " + std::to_string(world) + ": ranks count from 0");
    rank_ = uint64_t(rank);
    world_ = uint64_t(world);
  }

  void reset_state() override {
    child_.reset_state();
    if (indexed()) size_ = child_.size();
  }
  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    return points ? std::optional<int64_t>(*points / int64_t(world_)) : std::nullopt;
  }

  // After locate, a child counts its points from another one, which a cursor "ROUND:NEXT" does not
  // say.
  bool indexed() const override { return child_.indexed() && !child_.has_locate(); }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    if (position.index > UINT64_MAX / world_ - 2) return false;  // what follows would overflow
    const uint64_t first = position.index * world_ + continued_.points_before(position.round);
    const broch::Position next{position.round, first + world_};
    const bool is_whole = size_ ? next.index <= uint64_t(*size_)
                                : extent_.contains({next.round, first}, next.index, cancel);
    if (!is_whole) return false;
    const uint64_t index = first + rank_;
    if (!child_.read({position.round, index}, cancel, point)) {
      if (size_) broch::dataflows::refuse_early_end(index, uint64_t(*size_));
      return false;
    }
    point.set_cursor(broch::cursor_of(next));
    return true;
  }
  bool has_locate() const override { return true; }
  // With another number of ranks than before, the rest of that round is divided anew.
  broch::Position locate(const std::string& cursor) override {
    const broch::Position next = broch::position_of(cursor, "shard");
    continued_.note({next.round, next.index % world_});
    return {next.round, next.index / world_};
  }

  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    std::string cursor;
    for (uint64_t i = 0; i < world_; ++i) {
      broch::Point& part = i == rank_ ? own_ : other_;
      part.clear();
      if (!child_.next(cancel, part)) return false;
      cursor = part.cursor();
    }
    own_.move_to(point);
    if (!cursor.empty()) point.set_cursor(cursor);
    return true;
  }

 private:
  broch::ChildDataFlow child_;
  broch::Point own_, other_;  // of a stream: the point of this rank, and one of the others
  uint64_t rank_, world_;
  std::optional<int64_t> size_;  // of a round of the child, if it is read by index and knows it
  Extent extent_;
  broch::dataflows::Continued continued_;
};

}  // namespace

BROCH_DATAFLOW(Shard, "broch.dataflow.shard", "1.1.0",
               "Yields this rank's part of a dataflow that all ranks read in the same order.",
               Options::schema)
