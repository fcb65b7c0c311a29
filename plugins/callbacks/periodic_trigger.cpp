// periodic_trigger.cpp: calls trigger() of another callback every k steps or epochs instead of in
// each trigger_epoch, and passes all other events on to it. tensorpack: `PeriodicTrigger`.
#include <broch/broch.hpp>

namespace {

class PeriodicTrigger final : public broch::Callback, public broch::Adjustable {
 public:
  explicit PeriodicTrigger(const broch::Host& host)
      : host_(host),
        run_(host),
        child_(broch::child<broch_callback>(host, "/callback", BROCH_ROLE_CALLBACK)) {
    before_train_ = broch::Config(host).boolean("/before_train");
    options_changed("");
  }

  void options_changed(const std::string&) override {
    const broch::Config config(host_);
    const auto period = [&](const char* pointer) {
      return config.has(pointer) ? config.integer(pointer) : 0;
    };
    const int64_t steps = period("/every_k_steps"), epochs = period("/every_k_epochs");
    if (steps == 0 && epochs == 0 && !before_train_)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "one of every_k_steps, every_k_epochs and before_train is needed");
    every_k_steps_ = steps;
    every_k_epochs_ = epochs;
  }

  void setup_graph() override { pass(child_.table->setup_graph); }
  void before_train() override {
    pass(child_.table->before_train);
    if (before_train_) pass(child_.table->trigger);
  }
  void after_train() override { pass(child_.table->after_train); }
  void before_epoch() override { pass(child_.table->before_epoch); }
  void after_epoch() override { pass(child_.table->after_epoch); }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    if (child_.table->before_run) check(child_.table->before_run(child_.self, run, &fetches));
    return fetches;
  }
  void after_run(broch_run run) override {
    if (child_.table->after_run) check(child_.table->after_run(child_.self, run));
  }
  void trigger_step() override {
    pass(child_.table->trigger_step);
    if (every_k_steps_ && run_.progress().global_step % every_k_steps_ == 0)
      pass(child_.table->trigger);
  }
  void trigger_epoch() override {
    if (every_k_epochs_ && run_.progress().epoch_num % every_k_epochs_ == 0)
      pass(child_.table->trigger);
  }

 private:
  void pass(broch_status (*event)(void*)) {
    if (event) check(event(child_.self));
  }
  void check(broch_status status) {
    if (status == BROCH_CANCELLED) throw broch::Cancelled();
    if (host_.check(status) == BROCH_STOP)
      throw broch::StopTraining(host_.c()->last_error(host_.c()));
  }

  broch::Host host_;
  broch::Run run_;
  broch::Child<broch_callback> child_;
  int64_t every_k_steps_ = 0, every_k_epochs_ = 0;
  bool before_train_;
};

}  // namespace

BROCH_COMPONENT_MORE(PeriodicTrigger, "broch.callback.periodic-trigger", "callback", "1.0.0",
                     "Triggers another callback every k steps or every k epochs.",
                     R"("produces": [])", R"({
  "type": "object",
  "properties": {
    "callback": {"x-broch-component": "callback", "description": "The callback to trigger."},
    "every_k_steps": {"type": ["integer", "null"], "minimum": 1, "default": null,
                      "x-broch-mutable": true, "description": "Trigger when global_step is a multiple of this."},
    "every_k_epochs": {"type": ["integer", "null"], "minimum": 1, "default": null,
                       "x-broch-mutable": true, "description": "Trigger when epoch_num is a multiple of this."},
    "before_train": {"type": "boolean", "default": false, "description": "Also trigger once before training."}
  },
  "required": ["callback"],
  "additionalProperties": false
})")
