// reduce_on_plateau.cpp: multiplies a hyper-parameter when a metric has not improved for a while.
// PyTorch: `torch.optim.lr_scheduler.ReduceLROnPlateau`.
#include <algorithm>
#include <broch/broch.hpp>
#include <limits>

#include "plain_state.hpp"

namespace {

enum class Mode { min, max };
enum class Threshold { rel, abs };

struct Options : broch::HyperParamOptions {
  std::string monitor_stat;
  Mode mode;
  double factor, threshold, min, eps;
  int64_t patience, cooldown;
  Threshold threshold_mode;

  static constexpr auto schema = broch::options(
      HyperParamOptions::schema,
      broch::option("monitor_stat", &Options::monitor_stat, "The metric to watch.").min_length(1),
      broch::option("mode", &Options::mode, "Whether smaller or larger values are better.")
          .one_of("min", "max")
          .by_default("min"),
      broch::option("factor", &Options::factor, "Multiplies the hyper-parameter.")
          .above(0)
          .below(1)
          .by_default(0.1)
          .is_mutable(),
      broch::option("patience", &Options::patience,
                    "Number of observations without improvement that are tolerated.")
          .minimum(0)
          .by_default(10)
          .is_mutable(),
      broch::option("threshold", &Options::threshold, "Smaller improvements do not count.")
          .minimum(0)
          .by_default(1e-4)
          .is_mutable(),
      broch::option("threshold_mode", &Options::threshold_mode,
                    "rel: the threshold is a share of the best value; abs: it is a difference.")
          .one_of("rel", "abs")
          .by_default("rel"),
      broch::option("cooldown", &Options::cooldown,
                    "Number of observations after a reduction that do not count.")
          .minimum(0)
          .by_default(0)
          .is_mutable(),
      broch::option("min", &Options::min, "The hyper-parameter does not become smaller.")
          .by_default(0)
          .is_mutable(),
      broch::option("eps", &Options::eps, "Smaller reductions are left out.")
          .minimum(0)
          .by_default(1e-8));
};

class ReduceOnPlateau final : public broch::HyperParamSetter,
                              public broch::Stateful,
                              public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 1;

  ReduceOnPlateau(const broch::Host& host, const Options& options)
      : HyperParamSetter(host, options), metrics_(host), options_(options) {
    if (options.mode == Mode::max) state_.best = -state_.best;
  }

  void options_changed(const std::string&) override { options_ = broch::read<Options>(host()); }

  void trigger() override {
    const auto latest = metrics_.latest(options_.monitor_stat);
    if (!latest || latest->global_step == state_.step) return;  // no new value
    state_.step = latest->global_step;
    if (is_better(latest->value)) {
      state_.best = latest->value;
      state_.waited = 0;
    } else {
      ++state_.waited;
    }
    if (state_.cooldown > 0) {
      --state_.cooldown;
      state_.waited = 0;
    }
    if (state_.waited <= options_.patience) return;
    reduce();
    state_.cooldown = options_.cooldown;
    state_.waited = 0;
  }

  std::string save_state() override { return broch::callbacks::plain_bytes(state_); }
  void load_state(uint32_t, const std::string& bytes) override {
    broch::callbacks::read_plain(bytes, state_);
  }

 private:
  struct State {  // saved as these 32 bytes
    double best = std::numeric_limits<double>::infinity();
    int64_t step = -1;  // of the last observation
    int64_t waited = 0, cooldown = 0;
  };

  bool is_better(double value) const {
    const double sign = options_.mode == Mode::max ? 1 : -1;
    const bool is_share = options_.threshold_mode == Threshold::rel;
    const double limit = is_share ? state_.best * (1 + sign * options_.threshold)
                                  : state_.best + sign * options_.threshold;
    return sign * value > sign * limit;
  }
  void reduce() {
    const double before = current(), value = std::max(before * options_.factor, options_.min);
    if (before - value > options_.eps) set(value);
  }

  broch::Metrics metrics_;
  Options options_;
  State state_;
};

}  // namespace

BROCH_CALLBACK(ReduceOnPlateau, "broch.callback.reduce-on-plateau", "1.0.0",
               "Reduces a hyper-parameter when a metric has not improved for a while.",
               Options::schema, broch::produces("{param}"), broch::consumes("{monitor_stat}"))
