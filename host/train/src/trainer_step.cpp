// trainer_step.cpp: one step, and what the trainer's plugin may call in it.
#include <utility>

#include "base/log.hpp"
#include "plan/stop.hpp"
#include "train/trainer.hpp"

namespace broch::train {

namespace {

bool may_be_the_data(base::Exit exit) {
  return exit == base::Exit::training || exit == base::Exit::numbers || exit == base::Exit::data ||
         exit == base::Exit::memory;
}

}  // namespace

void Trainer::run_step() {
  run_limited_step();
  if (flags_of_step_) parts_.interrupt->agree(std::exchange(flags_of_step_, 0));
  if (rank_cursors_) rank_cursors_->after_step();
}

// If a step fails, the message names the data that it used.
void Trainer::run_limited_step() {
  const StepLimit::Step limited(step_limit_ ? &*step_limit_ : nullptr);
  try {
    try_step();
    if (step_limit_) parts_.interrupt->throw_failure();
  } catch (const StopTraining& stop) {
    if (parts_.group)
      base::warning(std::string(stop.what()) +
                    ": this rank ends within a step; a rank that goes on waits for it in vain, and "
                    "ends with exit code 8");
    throw;
  } catch (const base::Error& error) {
    if (!may_be_the_data(error.exit())) throw;
    throw base::Error(error.exit(), error.what() + place_.which());
  }
}

void Trainer::try_step() {
  struct InStep {
    explicit InStep(Trainer& trainer) : trainer(trainer) { trainer.in_step_ = true; }
    ~InStep() {
      trainer.in_step_ = trainer.step_has_effects_ = false;
      if (trainer.input_) trainer.input_->keep_waiting(false);
    }
    Trainer& trainer;
  };
  const InStep in_step(*this);
  step_began_at_ = parts_.progress->global_step;
  executor_.forget_failed_run();
  const uint64_t messages_before = abi::thread_state().messages;
  broch_status status;
  try {
    status = call_run_step();
  } catch (...) {
    callbacks_.pending().rethrow();  // a pending exception is the actual reason
    throw;
  }
  callbacks_.pending().rethrow();
  if (status == BROCH_STOP) throw stopped_by(parts_.trainer, messages_before);
  if (status == BROCH_CANCELLED) cancelled_step();
  if (status == BROCH_END) end_of_data();
  step_began_at_.reset();
}

void Trainer::end_of_data() const {
  throw StopTraining("the end of the data" +
                     (input_ ? " of " + abi::describe(*parts_.input) : std::string()));
}

broch_status Trainer::call_run_step() {
  if (!role_.has_run_step()) return runs_.run(default_plan_);
  const broch_status status = role_.run_step();
  if (status != BROCH_NONE) return status;
  require_step();  // it turned out that the plugin has no run_step
  return runs_.run(default_plan_);
}

// The step is repeated when the run is resumed, so it must have changed nothing.
void Trainer::cancelled_step() const {
  if (step_has_effects_)
    throw base::Error{base::Exit::training,
                      {abi::describe(*parts_.trainer),
                       "BROCH_CANCELLED from a run_step that has run a plan or taken a data point",
                       "the step to be completed, since half a step cannot be resumed",
                       "wait before the first run and the first data point of the step"}};
  throw_cancelled(parts_.interrupt, *parts_.trainer,
                  "BROCH_OK, BROCH_STOP, BROCH_END or a failure");
}

// Stores an exception that ends the step, so that it takes effect even if the plugin ignores it.
template <class Body>
broch_status Trainer::in_force(Body&& body) {
  try {
    return body();
  } catch (const StopTraining&) {
    callbacks_.pending().keep_current();
    return BROCH_STOP;
  } catch (const Interrupted&) {
    callbacks_.pending().keep_current();
    return BROCH_STOP;
  } catch (const base::Error&) {
    callbacks_.pending().keep_current();
    throw;
  }
}

broch_status Trainer::run_for_plugin(Plan* plan, RunKind kind) {
  return in_force([&] {
    // A step with effects must be completed, or it could not be resumed exactly: later executions
    // keep waiting.
    if (input_) input_->keep_waiting(step_has_effects_);
    const broch_status status = kind == RunKind::hooked  ? runs_.run(plan)
                                : kind == RunKind::plain ? runs_.run_plain(plan)
                                                         : runs_.run_in_other_group(plan);
    step_has_effects_ = in_step_;
    return status;
  });
}

broch_status Trainer::next_for_plugin(uint32_t tower, runtime::Point& point) {
  return in_force([&] {
    input_->keep_waiting(step_has_effects_);
    point.clear();
    const broch_status status = input_->next(tower, point);
    if (status != BROCH_OK) return status;
    step_has_effects_ = true;
    std::string cursor = point.cursor;
    input_->consumed(tower, point);
    point.cursor.swap(cursor);
    return status;
  });
}

broch_status Trainer::evaluate_for_plugin(const std::function<broch_status()>& evaluate) {
  const CallbackSlot* const slot = callbacks_.last_called();
  const bool by_trainer = in_step_ && !runs_.in_hooks();
  const bool alone = rank_cursors_ && slot && slot->chief_only && !by_trainer;
  try {
    if (alone) rank_cursors_->begin_alone();
    const broch_status status = evaluate();
    if (alone) rank_cursors_->end_alone();
    return status;
  } catch (const Interrupted&) {
    // In a hook, what the callback makes of BROCH_CANCELLED decides: a step may have to be
    // completed.
    if (!runs_.in_hooks()) callbacks_.pending().keep_current();
    return BROCH_CANCELLED;
  }
}

}  // namespace broch::train
