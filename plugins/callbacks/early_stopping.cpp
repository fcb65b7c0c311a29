// early_stopping.cpp: ends training when a metric has not improved for a while, or is beyond a
// limit. Sources: https://github.com/tensorpack/tensorpack/issues/1365, Keras and Lightning:
// `EarlyStopping`.
//
// At the end, best weights and last ones are exchanged, and a checkpoint is saved. A training that
// is resumed from it exchanges them back first, so it continues as if nothing had been put back.
#include <broch/broch.hpp>
#include <cmath>
#include <utility>

#include "best_weights.hpp"
#include "number_shown.hpp"
#include "plain_state.hpp"

namespace {

using broch::callbacks::number_shown;

enum class Mode { min, max };

struct Options {
  std::string monitor_stat;
  int64_t patience;
  double min_delta;
  Mode mode;
  std::optional<double> baseline, stopping_threshold, divergence_threshold;
  int64_t from_epoch;
  bool restore_best;
  std::optional<std::string> checkpoint_dir;

  static constexpr auto schema = broch::options(
      broch::option("monitor_stat", &Options::monitor_stat, "The metric to watch.").min_length(1),
      broch::option("patience", &Options::patience,
                    "Number of observations without improvement after which the training ends.")
          .minimum(1)
          .by_default(5)
          .is_mutable(),
      broch::option("min_delta", &Options::min_delta, "Smaller improvements do not count.")
          .minimum(0)
          .by_default(0)
          .is_mutable(),
      broch::option("mode", &Options::mode, "Whether smaller or larger values are better.")
          .one_of("min", "max")
          .by_default("min"),
      broch::option("baseline", &Options::baseline,
                    "Only values that are better than this count as improvements; null: all.")
          .is_mutable(),
      broch::option("stopping_threshold", &Options::stopping_threshold,
                    "A value that is better than this is good enough, and ends the training; null: "
                    "none is.")
          .is_mutable(),
      broch::option("divergence_threshold", &Options::divergence_threshold,
                    "A value that is worse than this ends the training; null: none does.")
          .is_mutable(),
      broch::option("from_epoch", &Options::from_epoch,
                    "The first epoch whose values count; all options pass over earlier ones.")
          .minimum(1)
          .by_default(1)
          .is_mutable(),
      broch::option("restore_best", &Options::restore_best,
                    "Puts the best weights back when this callback has ended the training, and "
                    "after the last epoch, and saves a checkpoint with them.")
          .by_default(false),
      broch::option("checkpoint_dir", &Options::checkpoint_dir,
                    "Folder for the checkpoint of restore_best; null: the log folder.")
          .is_path());
};

class EarlyStopping final : public broch::Callback,
                            public broch::Stateful,
                            public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 2;

  EarlyStopping(const broch::Host& host, const Options& options)
      : host_(host), run_(host), metrics_(host), options_(options) {}

  void options_changed(const std::string&) override { options_ = broch::read<Options>(host_); }

  void setup_graph() override {
    if (!options_.restore_best) return;
    checkpoints_.emplace(host_, options_.checkpoint_dir);
    best_weights_.emplace(host_);
  }
  void trigger() override {
    const auto latest = metrics_.latest(options_.monitor_stat);
    if (!latest || latest->global_step == state_.step) return;  // no new value
    state_.step = latest->global_step;
    if (run_.progress().epoch_num < options_.from_epoch) return;
    const bool is_first = !state_.has_best && !std::isnan(latest->value);
    const bool is_best = is_first || is_better(latest->value, state_.best);
    if (is_best) keep(*latest);
    stop_beyond_thresholds(latest->value);
    if (is_best && beats_baseline(latest->value))
      state_.waited = 0;
    else if (++state_.waited >= options_.patience)
      stop_waiting();
  }
  void before_epoch() override { in_steps_ = true; }
  void after_epoch() override { in_steps_ = false; }
  // A training that failed in its last step is not over.
  void after_train() override {
    const broch_progress& now = run_.progress();
    const bool is_over = now.epoch_num >= now.max_epoch && run_.is_last_step() && !in_steps_;
    if (best_weights_ && state_.has_best && (stopped_ || is_over)) put_back();
  }

  std::string save_state() override { return broch::callbacks::plain_bytes(state_); }
  // Version 1 has the first four members only.
  void load_state(uint32_t version, const std::string& bytes) override {
    std::string all = bytes;
    if (version == 1 && all.size() == 4 * sizeof(int64_t)) all.resize(sizeof state_);
    broch::callbacks::read_plain(all, state_);
    if (!state_.exchanged || !best_weights_) return;
    best_weights_->exchange();
    state_.exchanged = 0;
  }

 private:
  struct State {  // saved as these 48 bytes
    double best = 0;
    int64_t has_best = 0;
    int64_t step = -1;   // of the last observation
    int64_t waited = 0;  // observations without improvement
    int64_t best_step = 0;
    int64_t exchanged = 0;  // whether the best weights are in the place of the last ones
  };

  bool is_better(double value, double than) const {
    const double rise = value - than;
    return (options_.mode == Mode::max ? rise : -rise) > options_.min_delta;
  }
  bool beats_baseline(double value) const {
    return !options_.baseline || is_better(value, *options_.baseline);
  }
  void keep(const broch_metric_point& best) {
    state_.best = best.value;
    state_.has_best = 1;
    state_.best_step = run_.progress().global_step;
    if (!best_weights_) return;
    if (best.global_step != state_.best_step && !std::exchange(told_, true))
      host_.warning("the best " + options_.monitor_stat + " so far is of step " +
                    std::to_string(best.global_step) + ", but kept for it are weights of step " +
                    std::to_string(state_.best_step) + ": put this callback after what reports " +
                    options_.monitor_stat + ", with the same schedule");
    best_weights_->keep();
  }
  // Whether a comes before b in the order from better to worse; never of a number that is none.
  bool precedes(double a, double b) const { return options_.mode == Mode::max ? a > b : a < b; }
  void stop_beyond_thresholds(double value) {
    const auto& good = options_.stopping_threshold;
    const auto& bad = options_.divergence_threshold;
    const std::string is = " is " + number_shown(value) + ", ";
    if (good && precedes(value, *good)) stop(is + "better than " + number_shown(*good));
    if (bad && precedes(*bad, value)) stop(is + "worse than " + number_shown(*bad));
  }
  [[noreturn]] void stop_waiting() {
    std::string words = " has not improved on " + number_shown(state_.best);
    if (!state_.has_best)
      words = " has not been a number";
    else if (!beats_baseline(state_.best))
      words = " has not become better than " + number_shown(*options_.baseline);
    stop(words + " for " + std::to_string(options_.patience) +
         (options_.patience == 1 ? " observation" : " observations"));
  }
  // words: what the metric has done.
  [[noreturn]] void stop(const std::string& words) {
    stopped_ = true;
    throw broch::StopTraining(options_.monitor_stat + words);
  }
  void put_back() {
    best_weights_->exchange();
    state_.exchanged = 1;
    if (const auto path = checkpoints_->save())
      host_.info("The weights of global_step=" + std::to_string(state_.best_step) + " with " +
                 options_.monitor_stat + "=" + number_shown(state_.best) +
                 ", the best ones, are put back and saved to " + *path + ".");
  }

  broch::Host host_;
  broch::Run run_;
  broch::Metrics metrics_;
  Options options_;
  std::optional<broch::Checkpoints> checkpoints_;              // with restore_best
  std::optional<broch::callbacks::BestWeights> best_weights_;  // with restore_best
  State state_;
  bool stopped_ = false;
  bool told_ = false;      // that a value is of another step than the weights
  bool in_steps_ = false;  // from before_epoch to after_epoch
};

}  // namespace

BROCH_CALLBACK(EarlyStopping, "broch.callback.early-stopping", "1.0.0",
               "Ends training when a metric has not improved for a while, or is beyond a limit.",
               Options::schema, broch::produces(), broch::consumes("{monitor_stat}"))
