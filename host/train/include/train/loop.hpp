// loop.hpp: epochs, steps, their counters, and the ways in which training ends.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "broch/ext/run.h"
#include "plan/interrupt.hpp"
#include "plan/phase_guard.hpp"
#include "train/callbacks.hpp"
#include "train/names.hpp"

namespace broch::train {

// progress.global_step is read by predictors on any thread; the main one alone writes it.
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

// Where a run continues: before step `step` (from 0) of an epoch. Made inside an event of the
// callbacks, by a saver among them, it also says how far that event had come: the callbacks after
// `done` (all of them, if it is empty) have not been called yet and are called first.
struct Position {
  enum class During : uint8_t { nothing, trigger_step, trigger_epoch };
  int64_t epoch = 1;
  int64_t step = 0;
  During during = During::nothing;
  std::string done = {};  // name of the callback that was being called
  bool operator==(const Position&) const = default;
};

struct LoopParts {
  broch_progress* progress = nullptr;  // kept up to date; plugins hold its address
  Callbacks* callbacks = nullptr;
  std::function<void()> run_step;                            // throws StopTraining for a quiet end
  std::function<int64_t()> stored_global_step;               // as the model's variables have it
  std::function<void(bool begins)> before_train;             // around before_train; may be empty
  std::function<void()> finished;                            // behind the last epoch; may be empty
  std::function<std::optional<std::string>()> stop_request;  // the reason given by a hook, once
  // Whether as many steps as were asked for are done, on all ranks; may be empty.
  std::function<bool()> enough;
  // Of several ranks: called by all behind the events of each epoch; whether any of them stops
  // there. Empty: there is one.
  std::function<bool(bool stops)> agree_to_stop;
  // The same, between the events of an epoch: what components of rank 0 alone set goes to all.
  std::function<void()> hand_on;
  // The same, around an epoch's steps; behind them ranks see that they have not drifted apart.
  std::function<void(bool begin)> around_steps;
  Interrupt* interrupt = nullptr;
  // Grants wishes: between steps where the interrupt has some, and before each epoch. May be empty.
  std::function<void()> take_control_requests;
  // Saves on a signal. True: resuming from it continues exactly. May be empty.
  std::function<bool()> on_interrupt;
  // When training ends by itself, before after_train. May be empty.
  std::function<void()> at_end;
  const base::Clock* clock = &base::system_clock();
};

class TrainLoop {
 public:
  // Throws base::Error (manifest) for negative counts.
  TrainLoop(LoopConfig config, LoopParts parts);

  // Continues an earlier run there; before run.
  void resume_at(Position position);

  // Trains, once. ok: finished or stopped quietly; saved, interrupted or terminated after a signal.
  // A failure is rethrown after after_train of all callbacks.
  base::Exit run();

  // What a checkpoint made now has to be resumed at.
  Position position() const;

 private:
  void run_epochs();
  bool run_epoch();  // false: a hook asked to stop
  bool run_steps();  // the same
  bool stops_before_step();
  void trigger(Position::During event);
  void trigger_step();
  void stop_with_others(std::exception_ptr why);
  void raise_agreed_stop();
  void end_epoch();
  void start_training();
  void finish_epoch(double seconds);
  base::Exit conclude_interrupt();
  void hand_on() const;
  void around_steps(bool begin) const;
  void take_control_requests() const;
  void check_interrupt() const;

  LoopConfig config_;
  LoopParts parts_;
  broch_progress& progress_;
  Position next_;  // what has not been done yet; kept up to date but for done, which is …
  Position::During during_ = Position::During::nothing;  // … the callback that is called in this
  std::exception_ptr stopped_;  // of several ranks: by whom this one was, until all know
  PhaseGuard phases_{"train loop"};
};

}  // namespace broch::train
