// loop.hpp: epochs, steps, their counters, and the ways in which training ends.
#pragma once
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "broch/ext/run.h"
#include "train/callbacks.hpp"
#include "train/interrupt.hpp"
#include "train/once.hpp"

namespace broch::train {

struct LoopConfig {
  int64_t steps_per_epoch = 0;
  int64_t starting_epoch = 1;
  int64_t max_epoch = 9999999;  // inclusive
};

// Where a run continues: before step `step` (from 0) of an epoch. Made inside an event of the
// callbacks, by a saver among them, it also says how far that event had come: the callbacks after
// `done` have not been called yet and are called first.
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
  std::function<void()> run_step;                    // throws StopTraining for a quiet end
  std::function<int64_t()> stored_global_step;       // as the model's variables have it
  std::function<void(bool begins)> before_train;     // around before_train; may be empty
  std::function<const std::string*()> stop_request;  // the reason given by a hook, nullptr: none
  Interrupt* interrupt = nullptr;
  // Saves on a signal. True: resuming from it continues exactly. May be empty.
  std::function<bool()> on_interrupt;
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
  void run_epoch();
  bool run_steps();  // false: a hook asked to stop
  // after: "", or the callback after which a resumed event goes on.
  void trigger_step(const std::string& after);
  void trigger_epoch(const std::string& after);
  void start_training();
  void finish_epoch(double seconds);
  base::Exit conclude_interrupt();
  void check_interrupt() const;

  LoopConfig config_;
  LoopParts parts_;
  broch_progress& progress_;
  Position first_;
  Position next_;  // what has not run yet
  Position::During during_ = Position::During::nothing;
  bool asked_to_stop_ = false;
  Once once_{"train loop"};
};

}  // namespace broch::train
