// loop.cpp: calls events in the order that role/callback.h promises.
#include "train/loop.hpp"

#include <csignal>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "plan/stop.hpp"

namespace broch::train {

namespace {

void require_count(const char* name, int64_t value) {
  if (value < 0)
    throw base::Error{base::Exit::manifest,
                      {name, std::to_string(value), "0 or more", "correct the manifest"}};
}

Ending ending_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const base::Error& error) {
    return {"failed", error.what(), error.exit()};
  } catch (const std::exception& error) {
    return {"failed", error.what(), base::Exit::training};
  }
}

}  // namespace

TrainLoop::TrainLoop(LoopConfig config, LoopParts parts)
    : config_(config), parts_(std::move(parts)), progress_(*parts_.progress) {
  require_count("steps_per_epoch", config_.steps_per_epoch);
  require_count("max_epoch", config_.max_epoch);
  next_.epoch = config_.starting_epoch;
  progress_.steps_per_epoch = config_.steps_per_epoch;
  progress_.starting_epoch = config_.starting_epoch;
  progress_.max_epoch = config_.max_epoch;
  progress_.epoch_num = config_.starting_epoch - 1;
  progress_.local_step = -1;
}

void TrainLoop::resume_at(Position position) {
  if (position.step < 0 || position.step > config_.steps_per_epoch)
    throw base::Error{
        base::Exit::checkpoint,
        {"resume",
         "step " + std::to_string(position.step) + " of epoch " + std::to_string(position.epoch),
         "0 to " + std::to_string(config_.steps_per_epoch) + " (steps_per_epoch)",
         "resume with the steps_per_epoch of the run that saved"}};
  next_ = position;
  progress_.resumed = 1;
  progress_.epoch_num = position.epoch - 1;
  // The step that finished last, in this epoch or in the one before.
  const bool has_earlier_epoch = position.epoch > config_.starting_epoch;
  progress_.local_step = position.step > 0   ? position.step - 1
                         : has_earlier_epoch ? config_.steps_per_epoch - 1
                                             : -1;
}

base::Exit TrainLoop::run() {
  phases_.enter("main_loop");
  std::exception_ptr failure;
  try {
    try {
      run_epochs();
    } catch (const StopTraining& stop) {
      base::info("Training was stopped by exception " + std::string(stop.what()) + ".");
      ending_ = {"stopped", stop.what(), base::Exit::ok};
    }
    if (parts_.at_end) parts_.at_end();
  } catch (const Interrupted&) {
    conclude_interrupt();
  } catch (...) {
    base::error("Training failed at global_step=" + std::to_string(progress_.global_step));
    failure = std::current_exception();
    ending_ = ending_of(failure);
  }
  if (parts_.ended) parts_.ended(ending_);
  parts_.callbacks->after_train();
  if (failure) std::rethrow_exception(failure);
  return ending_.exit;
}

void TrainLoop::run_epochs() {
  start_training();
  while (next_.epoch <= config_.max_epoch) {
    progress_.epoch_num = next_.epoch;
    if (next_.during != Position::During::trigger_epoch && !run_epoch()) return;
    together([this] {
      fire(Position::During::trigger_epoch);
      next_ = {progress_.epoch_num + 1, 0, Position::During::nothing, ""};
      if (stopped_) std::rethrow_exception(stopped_);
    });
    hand_on();
  }
  if (parts_.all_epochs_done) parts_.all_epochs_done();
  base::info("Training has finished!");
}

void TrainLoop::start_training() {
  store_global_step(progress_, parts_.stored_global_step());
  if (parts_.begins) parts_.begins();
  together([this] { before_train(); });
  hand_on();
  if (parts_.begun) parts_.begun();
  store_global_step(progress_, parts_.stored_global_step());  // a callback may have changed it
}

// If the checkpoint was saved in this event, the callbacks behind the saver have yet to set their
// first values, for example.
void TrainLoop::before_train() {
  using During = Position::During;
  if (progress_.resumed && next_.during != During::before_train)
    return parts_.callbacks->before_train();
  if (!next_.done.empty()) parts_.callbacks->before_train_again(next_.done);
  const int32_t resumed = std::exchange(progress_.resumed, 0);
  if (parts_.begins) parts_.begins();
  fire(During::before_train);
  progress_.resumed = resumed;
}

bool TrainLoop::run_epoch() {
  if (parts_.take_control_requests) parts_.take_control_requests();
  together([this] { check_interrupt(); });
  base::info("Start Epoch " + std::to_string(progress_.epoch_num) + " ...");
  const std::string epoch = "epoch " + std::to_string(progress_.epoch_num);
  const base::Span span(epoch.c_str(), "loop");
  together([this] { parts_.callbacks->before_epoch(); });
  hand_on();
  if (parts_.steps_begin) parts_.steps_begin();
  const double start = parts_.clock->monotonic();
  if (!run_steps()) return false;
  together([this] { parts_.callbacks->after_epoch(); });
  finish_epoch(parts_.clock->monotonic() - start);
  if (parts_.steps_end) parts_.steps_end();
  return true;
}

// Continues after next_.done if an earlier run left the event there. A callback whose wait was
// ended by a signal has not done its work, so it does not count as done.
void TrainLoop::fire(Position::During event) {
  using During = Position::During;
  std::string after;
  next_.done.swap(after);
  next_.during = during_ = event;
  try {
    if (event == During::before_train)
      parts_.callbacks->before_train(after);
    else if (event == During::trigger_step)
      parts_.callbacks->trigger_step(after);
    else
      parts_.callbacks->trigger_epoch(after);
  } catch (const Interrupted&) {
    const CallbackSlot* finished = parts_.callbacks->finished();
    next_.done = finished ? finished->key() : after;
    during_ = Position::During::nothing;
    throw;
  }
  next_.during = during_ = Position::During::nothing;
}

// Calls an event between steps. With several ranks, all learn of a stop in it before they go on,
// and of a signal, which they all got by then: also of one that came while a rank was waiting here.
// The first question also ends the event on ranks that wait for this one in a call of a plugin.
template <class Event>
void TrainLoop::together(const Event& event) {
  if (!parts_.on_any_rank) return event();
  std::exception_ptr stopped;
  bool interrupted = false;
  try {
    event();
  } catch (const StopTraining&) {
    stopped = std::current_exception();
  } catch (const Interrupted&) {
    interrupted = true;
  }
  bool stop = parts_.on_any_rank(stopped != nullptr || interrupted);
  const bool signalled = parts_.interrupt->announced() || parts_.interrupt->raised();
  if (parts_.on_any_rank(signalled)) {
    parts_.interrupt->agree(plan::kSignalled);
    interrupted = parts_.on_any_rank(interrupted);
    stop = parts_.on_any_rank(stopped != nullptr);
  }
  if (stopped) std::rethrow_exception(stopped);
  if (stop) throw StopTraining("a stop on another rank");
  if (interrupted) throw Interrupted{};
}

bool TrainLoop::run_steps() {
  if (next_.during == Position::During::trigger_step) trigger_step();
  while (next_.step < config_.steps_per_epoch) {
    take_control_requests();
    check_interrupt();
    progress_.local_step = next_.step;
    if (stops_before_step()) return false;
    {
      const base::Span span("step", "loop");
      parts_.run_step();
    }
    ++next_.step;
    trigger_step();
    raise_agreed_stop();
  }
  take_control_requests();
  check_interrupt();
  return true;
}

bool TrainLoop::stops_before_step() {
  if (parts_.enough && parts_.enough()) {
    base::info("Training was stopped: the requested number of steps is done");
    ending_ = {"stopped", "the requested number of steps is done", base::Exit::ok};
    return true;
  }
  const std::optional<std::string> reason = parts_.stop_request();
  if (!reason) return false;
  if (parts_.on_any_rank) {
    stop_with_others(std::make_exception_ptr(StopTraining(*reason)));
    return false;
  }
  base::info("Training was stopped by a request: " + *reason);
  ending_ = {"stopped", *reason, base::Exit::ok};
  return true;
}

// With several ranks, a stop takes effect after the next step. Until then, the callbacks behind the
// one that stops go on, as they do on the other ranks.
void TrainLoop::trigger_step() {
  if (!parts_.on_any_rank) return fire(Position::During::trigger_step);
  for (bool is_done = false; !is_done;) {
    try {
      fire(Position::During::trigger_step);
      is_done = true;
    } catch (const StopTraining&) {
      stop_with_others(std::current_exception());
      next_.done = parts_.callbacks->last_called()->key();
    }
  }
}

// The other ranks learn of the stop in their next step, which needs this rank. So all stop after
// that step, or at the end of the epoch if ranks do not exchange data in each step.
void TrainLoop::stop_with_others(std::exception_ptr why) {
  if (!stopped_) stopped_ = std::move(why);
  parts_.interrupt->announce_stop();
}

void TrainLoop::raise_agreed_stop() {
  if (!parts_.on_any_rank || !parts_.interrupt->all_stop()) return;
  if (stopped_) std::rethrow_exception(stopped_);
  throw StopTraining("a stop on another rank");
}

void TrainLoop::finish_epoch(double seconds) {
  base::info("Epoch " + std::to_string(progress_.epoch_num) + " (global_step " +
             std::to_string(progress_.global_step) + ") finished, time:" +
             base::humanize_seconds(seconds) + "." + parts_.callbacks->epoch_times(seconds));
}

void TrainLoop::hand_on() const {
  if (parts_.hand_on) parts_.hand_on();
}

// A step without control requests costs one atomic load.
inline void TrainLoop::take_control_requests() const {
  if (parts_.take_control_requests && parts_.interrupt->control_due()) [[unlikely]]
    parts_.take_control_requests();
}

void TrainLoop::check_interrupt() const {
  if (parts_.interrupt && parts_.interrupt->raised()) throw Interrupted{};
}

void TrainLoop::conclude_interrupt() {
  const bool by_user = parts_.interrupt->signal() == SIGINT;
  const std::string reason =
      by_user ? "Detected Ctrl-C" : "Told to end (by a signal or broch ctl stop)";
  base::info(reason + " and exiting main loop.");
  ending_ = {"interrupted", reason, parts_.interrupt->exit()};
  try {
    if (parts_.on_interrupt && parts_.on_interrupt()) ending_.exit = base::Exit::saved;
  } catch (const std::exception& error) {
    base::error("saving on a signal failed: " + std::string(error.what()));
  }
}

Position TrainLoop::position() const {
  Position position = next_;
  if (during_ == Position::During::nothing) return position;
  if (const CallbackSlot* slot = parts_.callbacks->last_called()) position.done = slot->key();
  return position;
}

}  // namespace broch::train
