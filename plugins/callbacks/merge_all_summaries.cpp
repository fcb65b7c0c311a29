// merge_all_summaries.cpp: sends the summaries of the model to the monitors, with the last step of
// each epoch and every `period` steps. tensorpack: `MergeAllSummaries`.
#include <broch/broch.hpp>

namespace {

class MergeAllSummaries final : public broch::Callback {
 public:
  explicit MergeAllSummaries(const broch::Host& host) : run_(host) {
    const broch::Config config(host);
    period_ = config.integer("/period");
    run_alone_ = config.boolean("/run_alone");
  }

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

BROCH_COMPONENT_MORE(MergeAllSummaries, "broch.callback.merge-all-summaries", "callback", "1.0.0",
                     "Sends the model's summaries to the monitors at the last step of each epoch.",
                     R"("produces": [])", R"({
  "type": "object",
  "properties": {
    "period": {"type": "integer", "minimum": 0, "default": 0,
               "description": "Also do so every period steps within an epoch; 0: only at its last step."},
    "run_alone": {"type": "boolean", "default": false,
                  "description": "Evaluate in a separate hooked run on another data point, instead of in the run of a step."}
  },
  "additionalProperties": false
})")
