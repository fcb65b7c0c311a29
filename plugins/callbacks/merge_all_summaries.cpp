// merge_all_summaries.cpp: sends the summaries of the model to the monitors, with the last step of
// each epoch and every `period` steps. tensorpack: `MergeAllSummaries`.
#include <broch/broch.hpp>

namespace {

struct Options {
  int64_t period;
  bool run_alone;

  static constexpr auto schema = broch::options(
      broch::option("period", &Options::period,
                    "Also do so every period steps within an epoch; 0: only at its last step.")
          .minimum(0)
          .by_default(0),
      broch::option(
          "run_alone", &Options::run_alone,
          "Evaluate by itself, without hooks, on another data point, instead of in the run "
          "of a step.")
          .by_default(false));
};

class MergeAllSummaries final : public broch::Callback {
 public:
  MergeAllSummaries(const broch::Host& host, const Options& options)
      : run_(host), period_(options.period), run_alone_(options.run_alone) {}

  uint64_t before_run(broch_run run, uint64_t fetches) override {
    if (!run_alone_ && (run_.is_last_step() || is_period())) run_.want_summaries(run);
    return fetches;
  }
  void trigger_step() override {
    if (run_alone_ && is_period()) run_.evaluate_summaries();
  }
  void trigger() override {
    if (run_alone_) run_.evaluate_summaries();
  }

 private:
  bool is_period() const { return period_ > 0 && (run_.progress().local_step + 1) % period_ == 0; }

  broch::Run run_;
  int64_t period_;
  bool run_alone_;
};

}  // namespace

BROCH_CALLBACK(MergeAllSummaries, "broch.callback.merge-all-summaries", "1.0.0",
               "Sends the model's summaries to the monitors at the last step of each epoch.",
               Options::schema, broch::produces())
