// host_slots.hpp: the host's own places in the list of callbacks.
#pragma once
#include "base/log.hpp"
#include "plan/input.hpp"
#include "plan/plans.hpp"
#include "runtime/scalar_cell.hpp"
#include "train/callbacks.hpp"
#include "train/loop.hpp"

namespace broch::train {

// Starts the input source over, or after the points of the run that is resumed.
class InputStart final : public CallbackSlot {
 public:
  InputStart(Input& input, const Plans& plans, const Cursors& resume_after)
      : CallbackSlot("input", nullptr), input_(input), plans_(plans), resume_after_(resume_after) {}
  broch_status before_train() override {
    input_.set_towers(plans_.fed_towers());
    input_.start(resume_after_);
    return BROCH_OK;
  }

 private:
  Input& input_;
  const Plans& plans_;
  const Cursors& resume_after_;
};

// Counts hooked runs in the model's variable and for everybody after it in the list. Callbacks
// before it see the old number in after_run (T2).
class StepCounter final : public CallbackSlot {
 public:
  StepCounter(runtime::ScalarCell<int64_t>& stored, broch_progress& progress)
      : CallbackSlot("step-counter", nullptr), stored_(stored), progress_(progress) {}
  bool has_after_run() const override { return true; }
  broch_status before_train() override {
    if (stored_.get() != 0)
      base::info("Start training with global_step=" + std::to_string(stored_.get()));
    return BROCH_OK;
  }
  broch_status after_run(broch_run) override {
    stored_.set(stored_.get() + 1);
    store_global_step(progress_, stored_.get());
    return BROCH_OK;
  }

 private:
  runtime::ScalarCell<int64_t>& stored_;
  broch_progress& progress_;
};

// Puts the costs and the hyper-parameters, before anybody looks at them.
class EpochStats final : public CallbackSlot {
 public:
  explicit EpochStats(std::function<void()> put)
      : CallbackSlot("epoch-stats", nullptr), put_(std::move(put)) {}
  broch_status trigger_epoch() override {
    put_();
    return BROCH_OK;
  }

 private:
  std::function<void()> put_;
};

// The dispatcher of the monitors has a place at the end of the list, but no event of its own.
class Dispatcher final : public CallbackSlot {
 public:
  Dispatcher() : CallbackSlot("monitors", nullptr) {}
};

}  // namespace broch::train
