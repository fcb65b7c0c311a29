// loop.hpp: epochs, steps, their counters, and the ways in which training ends.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "broch/ext/progress.h"
#include "plan/interrupt.hpp"
#include "plan/phase_guard.hpp"
#include "train/callbacks.hpp"
#include "train/names.hpp"

namespace broch::train {

// Predictors read progress.global_step on any thread; only [main] writes it.
inline void store_global_step(broch_progress& progress, int64_t step) {
  std::atomic_ref<int64_t>(progress.global_step).store(step, std::memory_order_relaxed);
}
inline int64_t load_global_step(broch_progress& progress) {
  return std::atomic_ref<int64_t>(progress.global_step).load(std::memory_order_relaxed);
}

struct LoopConfig {
  int64_t steps_per_epoch = 0;
  int64_t starting_epoch = 1;
  int64_t max_epoch = 9999999;  // inclusive
};

// Where a resumed run continues: before step `step` (from 0) of an epoch. If the checkpoint was
// made during an event, for example by a saver callback, it also says how far the event had come:
// the callbacks after `done` (all of them, if it is empty) were not called yet and are called
// first. before_train is called for all in any case, since it also starts things; those after
// `done` see a run that is not resumed.
struct Position {
  enum class During : uint8_t { nothing, trigger_step, trigger_epoch, before_train };
  int64_t epoch = 1;
  int64_t step = 0;
  During during = During::nothing;
  std::string done = {};  // the callback that was being called
  bool operator==(const Position&) const = default;
};

// How a training has ended.
struct Ending {
  const char* outcome = "finished";  // or "stopped", "interrupted", "failed"
  std::string reason = {};
  base::Exit exit = base::Exit::ok;
};

struct LoopParts {
  broch_progress* progress = nullptr;  // updated by the loop; plugins have its address
  Callbacks* callbacks = nullptr;
  std::function<void()> run_step;               // throws StopTraining to end normally
  std::function<int64_t()> stored_global_step;  // the number in the model's variable
  // Before before_train, and in it where the callbacks begin for which the run is not resumed. May
  // be empty.
  std::function<void()> begins;
  std::function<void()> begun;                               // after before_train; may be empty
  std::function<void()> all_epochs_done;                     // not after a stop; may be empty
  std::function<std::optional<std::string>()> stop_request;  // reason given by a hook, once
  // Whether the requested number of steps is done, on all ranks. May be empty.
  std::function<bool()> enough;
  // With several ranks: whether it is so on any rank. Called by all ranks in the same order, after
  // each event between steps. Empty with one rank.
  std::function<bool(bool here)> on_any_rank;
  // With several ranks: called between the events of an epoch, to send what components on rank 0
  // wrote.
  std::function<void()> hand_on;
  // With several ranks: before an epoch's steps, and after after_epoch. The latter checks that
  // ranks agree.
  std::function<void()> steps_begin, steps_end;
  Interrupt* interrupt = nullptr;
  // Serves control requests: between steps if there are any, and before each epoch. May be empty.
  std::function<void()> take_control_requests;
  // Saves after a signal. Returns whether resuming continues exactly. May be empty.
  std::function<bool()> on_interrupt;
  // Called when training ends normally, before after_train. May be empty.
  std::function<void()> at_end;
  // Called however training ends, before after_train. May be empty.
  std::function<void(const Ending&)> ended;
  const base::Clock* clock = &base::system_clock();
};

class TrainLoop {
 public:
  // Throws base::Error (manifest) for negative counts.
  TrainLoop(LoopConfig config, LoopParts parts);

  // Makes run continue an earlier run at this position.
  void resume_at(Position position);

  // Trains; call once. Returns ok if training finished or was stopped normally; saved, interrupted
  // or terminated after a signal. A failure is rethrown after after_train of all callbacks.
  base::Exit run();

  // The position to store in a checkpoint that is made now.
  Position position() const;

 private:
  void run_epochs();
  bool run_epoch();  // false: the training is to end before the events at the epoch's end
  bool run_steps();  // the same
  bool stops_before_step();
  void fire(Position::During event);
  void before_train();
  void trigger_step();
  void stop_with_others(std::exception_ptr why);
  void raise_agreed_stop();
  template <class Event>
  void together(const Event& event);
  void start_training();
  void finish_epoch(double seconds);
  void conclude_interrupt();
  void hand_on() const;
  void take_control_requests() const;
  void check_interrupt() const;

  LoopConfig config_;
  LoopParts parts_;
  broch_progress& progress_;
  Position next_;  // what is to be done next; during an event, `done` is not up to date
  Position::During during_ = Position::During::nothing;  // the event that is running
  std::exception_ptr stopped_;  // with several ranks: why this one stops, until all know
  Ending ending_;
  PhaseGuard phases_{"train loop"};
};

}  // namespace broch::train
