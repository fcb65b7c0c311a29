// early_stopping.cpp: ends training when a metric has not improved for a while. Source:
// https://github.com/tensorpack/tensorpack/issues/1365.
#include <broch/broch.hpp>
#include <cmath>

#include "plain_state.hpp"

namespace {

enum class Mode { min, max };

struct Options {
  std::string monitor_stat;
  int64_t patience;
  double min_delta;
  Mode mode;

  static constexpr auto schema = broch::options(
      broch::option("monitor_stat", &Options::monitor_stat, "The metric to watch.").min_length(1),
      broch::option("patience", &Options::patience,
                    "Number of observations without improvement that are tolerated.")
          .minimum(1)
          .by_default(5)
          .is_mutable(),
      broch::option("min_delta", &Options::min_delta, "Smaller improvements do not count.")
          .minimum(0)
          .by_default(0)
          .is_mutable(),
      broch::option("mode", &Options::mode, "Whether smaller or larger values are better.")
          .one_of("min", "max")
          .by_default("min"));
};

class EarlyStopping final : public broch::Callback,
                            public broch::Stateful,
                            public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 1;

  EarlyStopping(const broch::Host& host, const Options& options)
      : host_(host), metrics_(host), options_(options) {}

  void options_changed(const std::string&) override { options_ = broch::read<Options>(host_); }

  void trigger() override {
    const auto latest = metrics_.latest(options_.monitor_stat);
    if (!latest || latest->global_step == state_.step) return;  // no new value
    state_.step = latest->global_step;
    const double rise = latest->value - state_.best;
    const double gain = options_.mode == Mode::max ? rise : -rise;
    const bool is_first = !state_.has_best && !std::isnan(latest->value);
    if (is_first || gain > options_.min_delta) {
      state_.best = latest->value;
      state_.has_best = 1;
      state_.waited = 0;
    } else if (++state_.waited >= options_.patience) {
      throw broch::StopTraining(options_.monitor_stat + " has not improved on " +
                                std::to_string(state_.best) + " for " +
                                std::to_string(options_.patience) +
                                (options_.patience == 1 ? " observation" : " observations"));
    }
  }

  std::string save_state() override { return broch::callbacks::plain_bytes(state_); }
  void load_state(uint32_t, const std::string& bytes) override {
    broch::callbacks::read_plain(bytes, state_);
  }

 private:
  struct State {  // saved as these 32 bytes
    double best = 0;
    int64_t has_best = 0;
    int64_t step = -1;   // of the last observation
    int64_t waited = 0;  // observations without improvement
  };
  broch::Host host_;
  broch::Metrics metrics_;
  Options options_;
  State state_;
};

}  // namespace

BROCH_CALLBACK(EarlyStopping, "broch.callback.early-stopping", "1.0.0",
               "Ends training when a metric has not improved for a while.", Options::schema,
               broch::produces(), broch::consumes("{monitor_stat}"))
