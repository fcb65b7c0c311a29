// check_numerics.cpp: ends the run with exit code 6 when a weight is not finite. tensorpack:
// `CheckNumerics`.
#include <broch/broch.hpp>
#include <cmath>

namespace {

struct Options {
  bool run_as_trigger, run_step;

  static constexpr auto schema = broch::options(
      broch::option("run_as_trigger", &Options::run_as_trigger,
                    "Check before training and on each trigger.")
          .by_default(true),
      broch::option("run_step", &Options::run_step, "Check after each step.").by_default(false));
};

class CheckNumerics final : public broch::Callback {
 public:
  CheckNumerics(const broch::Host& host, const Options& options)
      : run_(host), data_(host), variables_(host), scopes_(host), options_(options) {}

  void setup_graph() override { trainable_ = variables_.list(BROCH_VARIABLE_TRAINABLE); }
  void before_train() override { trigger(); }
  void trigger() override {
    if (options_.run_as_trigger) check();
  }
  void trigger_step() override {
    if (options_.run_step) check();
  }

 private:
  void check() const {
    const broch::Scope scope = scopes_.open();
    for (const broch_variable variable : trainable_) {
      int64_t wrong = 0;
      for (const double value : data_.doubles(variables_.value(variable)))
        wrong += !std::isfinite(value);
      if (wrong == 0) continue;
      throw broch::Error(BROCH_E_NUMBERS,
                         std::to_string(wrong) + " elements of " + variables_.info(variable).name +
                             " are not finite at global_step " +
                             std::to_string(run_.progress().global_step) +
                             "; the newest checkpoint may be older than this step: lower the "
                             "learning rate or clip gradients and resume from it");
    }
  }

  broch::Run run_;
  broch::TensorData data_;
  broch::Variables variables_;
  broch::Scopes scopes_;
  Options options_;
  std::vector<broch_variable> trainable_;
};

}  // namespace

BROCH_CALLBACK(CheckNumerics, "broch.callback.check-numerics", "1.0.0",
               "Ends the run when a weight is not finite.", Options::schema, broch::produces())
