// periodic_trigger.cpp: calls trigger() of another callback every k steps or epochs instead of in
// each trigger_epoch, and passes all other events on to it. tensorpack: `PeriodicTrigger`.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildCallback callback;
  std::optional<int64_t> every_k_steps, every_k_epochs;
  bool before_train;

  static constexpr auto schema = broch::options(
      broch::option("callback", &Options::callback, "The callback to trigger."),
      broch::option("every_k_steps", &Options::every_k_steps,
                    "Trigger when global_step is a multiple of this.")
          .minimum(1)
          .is_mutable(),
      broch::option("every_k_epochs", &Options::every_k_epochs,
                    "Trigger when epoch_num is a multiple of this.")
          .minimum(1)
          .is_mutable(),
      broch::option("before_train", &Options::before_train, "Also trigger once before training.")
          .by_default(false));
};

class PeriodicTrigger final : public broch::Callback, public broch::Adjustable {
 public:
  PeriodicTrigger(const broch::Host& host, const Options& options)
      : host_(host), run_(host), child_(options.callback), before_train_(options.before_train) {
    set_periods(options);
  }

  void options_changed(const std::string&) override { set_periods(broch::read<Options>(host_)); }

  void setup_graph() override { child_.setup_graph(); }
  void before_train() override {
    child_.before_train();
    if (before_train_ && !run_.progress().resumed) child_.trigger();
  }
  void after_train() override { child_.after_train(); }
  void before_epoch() override { child_.before_epoch(); }
  void after_epoch() override { child_.after_epoch(); }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    return child_.before_run(run, fetches);
  }
  void after_run(broch_run run) override { child_.after_run(run); }
  void trigger_step() override {
    child_.trigger_step();
    if (every_k_steps_ && run_.progress().global_step % every_k_steps_ == 0) child_.trigger();
  }
  void trigger_epoch() override {
    if (every_k_epochs_ && run_.progress().epoch_num % every_k_epochs_ == 0) child_.trigger();
  }
  void trigger() override { child_.trigger(); }  // by another wrapper

 private:
  void set_periods(const Options& options) {
    if (!options.every_k_steps && !options.every_k_epochs && !before_train_)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "one of every_k_steps, every_k_epochs and before_train is needed");
    every_k_steps_ = options.every_k_steps.value_or(0);
    every_k_epochs_ = options.every_k_epochs.value_or(0);
  }

  broch::Host host_;
  broch::Run run_;
  broch::ChildCallback child_;
  int64_t every_k_steps_ = 0, every_k_epochs_ = 0;
  bool before_train_;
};

}  // namespace

BROCH_CALLBACK(PeriodicTrigger, "broch.callback.periodic-trigger", "1.0.0",
               "Triggers another callback every k steps or every k epochs.", Options::schema,
               broch::produces())
