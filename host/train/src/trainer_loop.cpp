// trainer_loop.cpp: the main loop, and what goes on around it: other ranks, servers, the input, and
// the limits of a step.
#include <cstdlib>

#include "base/log.hpp"
#include "rank_checks.hpp"
#include "train/trainer.hpp"
#include "train/watchdog.hpp"
#include "value/json.hpp"
#include "value/make.hpp"

namespace broch::train {

namespace {

// Also after a failure, which a monitor must not hide by one of its own.
void tell_ending(Monitors& monitors, const Ending& ending) {
  const std::string text =
      value::to_text(value::object({{"outcome", value::text(ending.outcome)},
                                    {"reason", value::text(ending.reason)},
                                    {"exit_code", value::integer(int64_t(ending.exit))}}));
  try {
    monitors.put_event(BROCH_EVENT_TRAINING_ENDED, text.data(), text.size());
    monitors.finish();  // before an after_train that may crash
  } catch (const std::exception& error) {
    base::error(error.what());
  }
}

// Stops the input, however the training ends.
class InputStop {
 public:
  InputStop(Interrupt& interrupt, Input* input) : interrupt_(interrupt), input_(input) {}
  ~InputStop() {
    try {
      interrupt_.cancel();
      if (input_) input_->stop();
    } catch (const std::exception& error) {
      base::error("stopping the input failed: " + std::string(error.what()));
    }
  }
  InputStop(const InputStop&) = delete;
  InputStop& operator=(const InputStop&) = delete;

 private:
  Interrupt& interrupt_;
  Input* input_;
};

}  // namespace

base::Exit Trainer::main_loop(MainLoop main) {
  phases_.require("initialize", "main_loop");
  phases_.enter("main_loop");
  require_feeds();
  take_cursors(std::move(main.cursors));
  if (parts_.group) {
    chief_writes_->agree();
    require_same_length(*parts_.group, main.config);
    require_same_start(*parts_.group, main.resume_at);
    kept_alike_ = plans_.kept_alike();
    warn_of_ranks_apart(parts_.group->ranks(), kept_alike_, *parts_.trainer);
  }
  loop_.emplace(main.config, loop_parts(main));
  if (main.resume_at) loop_->resume_at(*main.resume_at);
  limit_steps();
  const Watchdog watchdog(
      *parts_.interrupt,
      [this] { return parts_.interrupt->raised() && input_ && input_->waiting(); },
      [this] { give_up(); });
  const InputStop input_stop(*parts_.interrupt, input());
  servers_.begin();
  const base::Exit exit = loop_->run();
  servers_.leave();
  return exit;
}

void Trainer::serve() {
  phases_.require("initialize", "serve");
  phases_.enter("serve");
  servers_.serve();
}

// Where the manifest says which inputs the data have, callbacks feed all others.
void Trainer::require_feeds() const {
  if (!input_ || !towers_ || parts_.provided_inputs.empty()) return;
  const std::vector<abi::InputSpec>& signature = towers_->signature();
  for (const tower::Tower* tower : towers_->training())
    for (size_t i = 0; tower && i < signature.size(); ++i)
      if (!input_->provides(i) && !runs_.feeds(*tower, signature[i].name))
        throw base::Error{base::Exit::manifest,
                          {"input '" + signature[i].name + "' of " + tower->describe(),
                           "neither in remap_input_source nor fed by a callback", "one of the two",
                           "add it to the list, or announce a feed in setup_graph of a callback"}};
}

void Trainer::take_cursors(std::vector<Cursors> saved) {
  const uint64_t rank = parts_.run_context->rank;
  if (!saved.empty()) resume_after_ = saved.size() == 1 ? saved.front() : saved.at(rank);
  if (input_ && parts_.group)
    rank_cursors_.emplace(*input_, *parts_.group, *parts_.interrupt, std::move(saved));
}

LoopParts Trainer::loop_parts(MainLoop& main) {
  LoopParts parts;
  parts.progress = parts_.progress;
  parts.callbacks = &callbacks_;
  parts.run_step = [this] { run_step(); };
  parts.stored_global_step = [this] { return global_step_.get(); };
  parts.begins = [this] {
    if (parts_.progress->resumed)
      monitors_.drop_scalars();
    else
      monitors_.keep_scalars();
  };
  parts.begun = [this, begun = std::move(main.begun)] {
    monitors_.keep_scalars();
    parts_.hypers->refresh();  // other ranks have received the variables of rank 0
    awaited_.begin();
    if (begun) begun();
  };
  parts.all_epochs_done = [this] { awaited_.finish(); };
  parts.stop_request = [this] { return runs_.take_stop_request(); };
  parts.enough = std::move(main.enough);
  if (parts_.group) {
    parts.on_any_rank = [this](bool here) { return parts_.group->any(here); };
    parts.hand_on = [this] { chief_writes_->hand_on(); };
    parts.steps_begin = [this] { chief_writes_->steps_begin(); };
    parts.steps_end = [this] { end_steps(); };
  }
  parts.interrupt = parts_.interrupt;
  parts.take_control_requests = std::move(main.take_control_requests);
  parts.on_interrupt = std::move(main.on_interrupt);
  parts.at_end = std::move(main.at_end);
  parts.ended = [this](const Ending& ending) { tell_ending(monitors_, ending); };
  parts.clock = parts_.clock;
  return parts;
}

void Trainer::end_steps() {
  chief_writes_->steps_end();
  chief_writes_->hand_on();
  if (rank_cursors_) rank_cursors_->after_epoch();
  require_agreement(*parts_.group, *parts_.backend, kept_alike_,
                    "at the end of epoch " + std::to_string(parts_.progress->epoch_num) +
                        " (global_step " + std::to_string(parts_.progress->global_step) + ")");
}

void Trainer::limit_steps() {
  if (!parts_.step_timeout) return;
  StepLimit::Deps deps;
  deps.seconds = *parts_.step_timeout;
  deps.interrupt = parts_.interrupt;
  deps.doing = [this, main = pthread_self()] { return place_.doing(abi::place_of(main)); };
  deps.cancel = [this] {
    if (input_) input_->cancel();
  };
  deps.give_up = [this, main = pthread_self()](const std::string& why) {
    base::error(why + place_.which() +
                "\nIt has not ended within 5 seconds since: ending without it");
    callbacks_.after_train(abi::place_of(main).calls);
    std::_Exit(static_cast<int>(base::Exit::training));
  };
  step_limit_.emplace(std::move(deps));
}

// Runs on the watchdog's thread, because [main] hangs inside the source.
void Trainer::give_up() {
  base::error(input_->describe() +
              " did not return from next within 5 seconds of the signal: ending without it");
  callbacks_.after_train({parts_.input});
  std::_Exit(static_cast<int>(parts_.interrupt->exit()));
}

}  // namespace broch::train
