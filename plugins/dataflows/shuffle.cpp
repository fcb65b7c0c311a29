// shuffle.cpp: keeps the data points of a finite dataflow in memory, and yields them in a new
// random order in each round. tensorpack: `LocallyShuffleData` with a buffer for the whole round.
//
// The order of round r depends only on the seed and r. The cursor is "ROUND:POSITION" of the point,
// followed by ":" and the cursor of the child, which is not used here; position -1 is before the
// first point. To continue, the child is read again from its beginning, so it must yield the same
// points each time.
#include <broch/broch.hpp>
#include <numeric>

namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
class Generator {
 public:
  explicit Generator(uint64_t state) : state_(state) {}
  uint64_t operator()() {
    uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  // Uniform in [0, n). Numbers beyond the last whole multiple of n are drawn again, so that all
  // results are equally likely.
  uint64_t below(uint64_t n) {
    const uint64_t stretch = UINT64_MAX - UINT64_MAX % n;
    for (;;)
      if (const uint64_t draw = (*this)(); draw < stretch) return draw % n;
  }

 private:
  uint64_t state_;
};

struct Options {
  broch::ChildDataFlow dataflow;
  std::optional<int64_t> seed;

  static constexpr auto schema = broch::options(
      broch::option(
          "dataflow", &Options::dataflow,
          "A finite dataflow with the same data points in each round; they are kept in memory."),
      broch::option("seed", &Options::seed,
                    "Seed for the orders; null: derived from the run's seed."));
};

class Shuffle final : public broch::DataFlow {
 public:
  Shuffle(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        seed_(options.seed ? uint64_t(*options.seed) : broch::Instance(host).seed()) {}

  void reset_state() override { child_.reset_state(); }

  void open(const std::string& cursor) override {
    const size_t colon = cursor.find(':');
    if (!cursor.empty() && colon == std::string::npos)
      throw broch::Error(BROCH_E_DATA_LOSS, "'" + cursor + "' is no cursor of shuffle");
    round_ = cursor.empty() ? round_ + 1 : std::stoll(cursor.substr(0, colon));
    position_ = cursor.empty() ? 0 : size_t(std::stoll(cursor.substr(colon + 1)) + 1);
    filled_ = false;
  }

  std::optional<std::string> start_cursor() override {
    return std::to_string(round_) + ":" + std::to_string(int64_t(position_) - 1);
  }

  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (!filled_) fill(cancel);
    if (position_ >= order_.size()) return false;
    const broch::Point& source = points_[order_[position_]];
    for (uint32_t i = 0, n = source.size(); i < n; ++i) point.add(source.view(i), source.name(i));
    const std::string of_child = source.cursor();
    std::string cursor = std::to_string(round_) + ":" + std::to_string(position_++);
    if (!of_child.empty()) cursor += ":" + of_child;
    point.set_cursor(cursor);
    return true;
  }

  std::optional<int64_t> size() override { return child_.size(); }

 private:
  void fill(const broch::Cancel& cancel) {
    points_.clear();
    child_.open("");
    for (;;) {
      broch::Point point(host_);
      if (!child_.next(cancel, point)) break;
      points_.push_back(std::move(point));
    }
    order_.resize(points_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    Generator generator(seed_ ^ Generator(uint64_t(round_))());
    for (size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[generator.below(i)]);
    filled_ = true;
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  uint64_t seed_;
  int64_t round_ = -1;
  size_t position_ = 0;
  bool filled_ = false;
  std::vector<broch::Point> points_;
  std::vector<size_t> order_;
};

}  // namespace

BROCH_DATAFLOW(Shuffle, "broch.dataflow.shuffle", "1.0.0",
               "Yields the data points of a finite dataflow in a new random order in each round.",
               Options::schema, broch::reorders("dataflow"))
