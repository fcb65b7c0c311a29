// both.cpp: a trainer that is a callback, too, and counts what it is called for.
#include <broch/broch.hpp>

namespace {

class Both final : public broch::SteppingTrainer, public broch::Callback {
 public:
  explicit Both(const broch::Host& host) : host_(host) {}

  void setup_graph() override {
    ++setups_;
    run_.emplace(host_);
    step_ = run_->fetch("global_step");
    plan_.emplace(host_, "train");
    const broch_node tower = plan_->tower({plan_->input()}, {});
    plan_->apply(plan_->process(plan_->gradients(tower)));
    plan_->seal();
  }
  broch_status run_step() override {
    ++steps_;
    return plan_->run();
  }
  void before_train() override { ++trainings_; }
  void before_epoch() override { ++begun_; }
  void after_run(broch_run run) override { fetched_ = run_->scalar(run, step_).value(); }
  void trigger_step() override { ++triggered_; }
  void after_epoch() override { ++ended_; }
  void trigger_epoch() override {
    const broch::Metrics metrics(host_);
    metrics.put_scalar("setups", setups_);
    metrics.put_scalar("trainings", trainings_);
    metrics.put_scalar("begun", begun_);
    metrics.put_scalar("steps", steps_);
    metrics.put_scalar("triggered", triggered_);
    metrics.put_scalar("ended", ended_);
    metrics.put_scalar("triggered_epochs", ++epochs_);
    metrics.put_scalar("fetched", fetched_);
  }

 private:
  broch::Host host_;
  std::optional<broch::Run> run_;
  std::optional<broch::Plan> plan_;
  uint32_t step_ = 0;
  int setups_ = 0, trainings_ = 0, begun_ = 0, steps_ = 0, triggered_ = 0, ended_ = 0, epochs_ = 0;
  double fetched_ = -1;
};

}  // namespace

BROCH_TRAINER(Both, "test.both", "1.0.0", "Counts its events.",
              R"({"type": "object", "additionalProperties": false})")
