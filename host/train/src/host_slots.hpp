// host_slots.hpp: the host's own entries in the list of callbacks.
#pragma once
#include <utility>

#include "base/log.hpp"
#include "dist/group.hpp"
#include "monitors/monitors.hpp"
#include "plan/input.hpp"
#include "plan/plans.hpp"
#include "runtime/scalar_cell.hpp"
#include "train/callbacks.hpp"
#include "train/loop.hpp"

namespace broch::train {

// Starts the input source, from the beginning or after the points that a resumed run consumed. With
// several ranks, waits without a limit until all have done so: a stream may read all these points
// again, on one rank for longer than on another.
class InputStart final : public CallbackSlot {
 public:
  // group: the ranks that train; nullptr: there is only one.
  InputStart(Input& input, const Plans& plans, const Cursors& resume_after, dist::Group* group)
      : CallbackSlot("input"),
        input_(input),
        plans_(plans),
        resume_after_(resume_after),
        group_(group) {}
  broch_status before_train() override {
    input_.set_towers(plans_.fed_towers());
    input_.start(resume_after_);
    if (group_) group_->any(false);
    return BROCH_OK;
  }

 private:
  Input& input_;
  const Plans& plans_;
  const Cursors& resume_after_;
  dist::Group* group_;
};

// Increments global_step after each hooked run, in the model's variable and in progress. Callbacks
// that precede it in the list see the old number in after_run, but scalars that they put belong to
// the new one.
class StepCounter final : public CallbackSlot {
 public:
  StepCounter(runtime::ScalarCell<int64_t>& stored, broch_progress& progress, Monitors& monitors)
      : CallbackSlot("step-counter"), stored_(stored), progress_(progress), monitors_(monitors) {}
  bool has_after_run() const override { return true; }
  broch_status before_train() override {
    if (stored_.get() != 0)
      base::info("Start training with global_step=" + std::to_string(stored_.get()));
    return BROCH_OK;
  }
  broch_status after_run(broch_run) override {
    stored_.set(stored_.get() + 1);
    store_global_step(progress_, stored_.get());
    monitors_.pass_scalars();
    return BROCH_OK;
  }

 private:
  runtime::ScalarCell<int64_t>& stored_;
  broch_progress& progress_;
  Monitors& monitors_;
};

// Puts costs and hyper-parameters, before other callbacks read them and may change the latter.
// Values that the summaries of the last step have put are kept; without a step since the last time,
// there are none.
class EpochStats final : public CallbackSlot {
 public:
  EpochStats(Monitors& monitors, const CostAverages& costs, const runtime::HyperParams& hypers,
             const broch_progress& progress)
      : CallbackSlot("epoch-stats"),
        monitors_(monitors),
        costs_(costs),
        hypers_(hypers),
        progress_(progress) {}
  broch_status trigger_epoch() override {
    has_stepped_ = std::exchange(reported_at_, progress_.global_step) != progress_.global_step;
    for (const auto& [name, value] : costs_.values()) put(name, value);
    for (const std::string& name : hypers_.names()) put(name, hypers_.get(name));
    return BROCH_OK;
  }

 private:
  void put(const std::string& name, double value) {
    const broch_metric_point* last = monitors_.latest(name);
    if (has_stepped_ && last && last->global_step == progress_.global_step) return;
    monitors_.put_scalar(name.c_str(), value);
  }

  Monitors& monitors_;
  const CostAverages& costs_;
  const runtime::HyperParams& hypers_;
  const broch_progress& progress_;
  int64_t reported_at_ = -1;  // global_step at the last time
  bool has_stepped_ = true;   // since then
};

// Marks the place of the monitors at the end of the list, and reports what went wrong with them.
class Dispatcher final : public CallbackSlot {
 public:
  explicit Dispatcher(Monitors& monitors) : CallbackSlot("monitors"), monitors_(monitors) {}
  broch_status before_train() override {
    monitors_.times().begin();
    return BROCH_OK;
  }
  broch_status after_train() override {
    monitors_.finish();
    monitors_.report();
    return BROCH_OK;
  }

 private:
  Monitors& monitors_;
};

}  // namespace broch::train
