// shard.cpp: the part of one rank of a dataflow that all ranks read in the same order. PyTorch:
// `DistributedSampler`.
//
// Of every `world` consecutive points, rank r yields number r. Points that are left over at the end
// are dropped, so that all ranks yield equally many. The cursor of a point is that of the last of
// its `world` points.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<int64_t> rank, world;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow,
                    "The dataflow to divide. It has the same seed on all ranks.")
          .same_seed(),
      broch::option("rank", &Options::rank, "The rank whose part to yield; null: this rank.")
          .minimum(0),
      broch::option("world", &Options::world, "Number of parts; null: the number of ranks.")
          .minimum(1));
};

class Shard final : public broch::DataFlow {
 public:
  Shard(const broch::Host& host, const Options& options) : child_(options.dataflow), part_(host) {
    const broch::Dist dist(host);
    rank_ = options.rank.value_or(dist.rank());
    world_ = options.world.value_or(dist.world());
    if (rank_ >= world_)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "rank " + std::to_string(rank_) + " of " +
                                                       std::to_string(world_) +
                                                       ": ranks count from 0");
  }

  void reset_state() override { child_.reset_state(); }
  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    std::string cursor;
    for (int64_t i = 0; i < world_; ++i) {
      part_.clear();
      if (!child_.next(cancel, part_)) return false;
      cursor = part_.cursor();
      if (i == rank_) part_.move_to(point);
    }
    if (!cursor.empty()) point.set_cursor(cursor);
    return true;
  }

  std::optional<int64_t> size() override {
    const std::optional<int64_t> points = child_.size();
    return points ? std::optional<int64_t>(*points / world_) : std::nullopt;
  }

 private:
  broch::ChildDataFlow child_;
  broch::Point part_;
  int64_t rank_, world_;
};

}  // namespace

BROCH_DATAFLOW(Shard, "broch.dataflow.shard", "1.0.0",
               "Yields this rank's part of a dataflow that all ranks read in the same order.",
               Options::schema)
