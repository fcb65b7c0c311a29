// shard.cpp: the part of one rank of a dataflow that all ranks read in the same order. PyTorch:
// `DistributedSampler`.
//
// Of every `world` consecutive points, rank r yields number r. Points that are left over at the end
// are dropped, so that all ranks yield equally many. The cursor of a point is that of the last of
// its `world` points.
#include <broch/broch.hpp>

namespace {

class Shard final : public broch::DataFlow {
 public:
  explicit Shard(const broch::Host& host) : child_(host, "/dataflow"), part_(host) {
    const broch::Config config(host);
    const broch::Run run(host);
    rank_ = config.has("/rank") ? config.integer("/rank") : run.progress().rank;
    world_ = config.has("/world") ? config.integer("/world") : run.progress().world;
    if (rank_ >= world_)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "rank " + std::to_string(rank_) + " of " +
                                                       std::to_string(world_) +
                                                       ": ranks count from 0");
  }

  void reset_state() override { child_.reset_state(); }
  void open(const std::string& cursor) override { child_.open(cursor); }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    std::string cursor;
    for (int64_t i = 0; i < world_; ++i) {
      part_.clear();
      if (!child_.next(cancel.c(), part_.handle())) return false;
      cursor = part_.cursor();
      if (i == rank_) part_.move_to(point.handle());
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
               "Yields this rank's part of a dataflow that all ranks read in the same order.", R"({
  "type": "object",
  "properties": {
    "dataflow": {"x-broch-component": "dataflow", "x-broch-same-seed": true, "description": "The dataflow to divide. It has the same seed on all ranks."},
    "rank": {"type": ["integer", "null"], "minimum": 0, "default": null, "description": "The rank whose part to yield; null: this rank."},
    "world": {"type": ["integer", "null"], "minimum": 1, "default": null, "description": "Number of parts; null: the number of ranks."}
  },
  "required": ["dataflow"],
  "additionalProperties": false
})")
