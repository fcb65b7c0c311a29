// staging.cpp: keeps data points of each tower ready before its step, on the tower's device.
// tensorpack: `StagingInput`.
//
// The first step takes nr_stage points for every tower in advance. Then this step and each later
// one take one more per tower. So after S steps, n towers have taken n * (S + nr_stage) points, and
// the last n * nr_stage are not used; a resumed run takes them again. Runs that need no points
// leave all of this as it is.
#include <broch/broch.hpp>
#include <deque>

namespace {

struct Options {
  broch::ChildInputSource input;
  size_t nr_stage;

  static constexpr auto schema = broch::options(
      broch::option("input", &Options::input, "The input source that yields the data points."),
      broch::option("nr_stage", &Options::nr_stage,
                    "Number of data points per tower that are ready when a step begins, in the "
                    "memory of the tower's device.")
          .minimum(1)
          .maximum(1000)
          .by_default(1));
};

class Staging final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = BROCH_INPUT_STAGED;

  Staging(const broch::Host& host, const Options& options)
      : host_(host), source_(options.input), stages_(options.nr_stage) {
    if (source_.flags() != 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         source_.flags() & BROCH_INPUT_STAGED
                             ? "the input is a staging one itself: leave one of them out"
                             : "the input gets its data from who runs the step: points can be "
                               "staged of sources that have their own, such as a queue");
  }

  void setup(const broch_input_spec* inputs, uint32_t n) override { source_.setup(inputs, n); }
  void set_towers(uint32_t n) override {
    towers_ = n;
    source_.set_towers(n);
  }
  void reset_state() override {
    clear();
    source_.reset_state();
  }
  void resume(const std::vector<std::string>& cursors) override {
    clear();
    source_.resume(cursors);
  }

  bool next(uint32_t tower, const broch::Cancel& cancel, broch::PointWriter& point) override {
    for (; filled_ < stages_ * towers_; ++filled_)
      if (!stage(uint32_t(filled_ % towers_), cancel)) return false;
    if (!stage(tower, cancel)) return false;
    areas_[tower].front().move_to(point);
    areas_[tower].pop_front();
    return true;
  }

  std::optional<int64_t> size() override { return source_.size(); }
  void stop() override { source_.stop(); }

 private:
  void clear() {
    areas_.clear();
    areas_.resize(towers_);
    filled_ = 0;
  }
  bool stage(uint32_t tower, const broch::Cancel& cancel) {
    broch::Point point(host_);
    if (!source_.next(tower, cancel, point)) return false;
    point.stage(tower);
    areas_.at(tower).push_back(std::move(point));
    return true;
  }

  broch::Host host_;
  broch::ChildInputSource source_;
  size_t stages_;
  uint32_t towers_ = 1;
  std::vector<std::deque<broch::Point>> areas_;  // one per tower
  size_t filled_ = 0;                            // points that were taken in advance
};

}  // namespace

BROCH_INPUT_SOURCE(Staging, "broch.input_source.staging", "1.0.0",
                   "Keeps data points ready for each tower before its step.", Options::schema)
