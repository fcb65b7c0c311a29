// schedule.cpp: calls callbacks in the order of train/loop.hpp, and looks at the hyper-parameters.
#include "rates/schedule.hpp"

#include <algorithm>

#include "abi/nesting.hpp"
#include "abi/roles.hpp"
#include "abi/trigger_watch.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "session/run.hpp"
#include "train/callbacks.hpp"

namespace broch::rates {
namespace {

constexpr int64_t kMostSteps = 10'000'000;  // about ten seconds
constexpr int64_t kPoints = 1000;           // of a curve

// Callbacks log each value that they set.
class Quiet {
 public:
  Quiet() : before_(base::log_level()) {
    base::set_log_level(std::max(before_, base::Level::error));
  }
  ~Quiet() { base::set_log_level(before_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  base::Level before_;
};

class Rehearsal {
 public:
  explicit Rehearsal(const train::TrainerParts& parts) : parts_(parts), progress_(*parts.progress) {
    for (const auto* list : {&parts.callbacks, &parts.extra_callbacks})
      for (const train::CallbackPart& part : *list) choose(*part.instance);
    if (schedule_.curves.empty())
      throw base::Error(
          base::Exit::manifest,
          base::Diagnostic{"/callbacks", "no callback that sets a hyper-parameter",
                           "one that produces it, according to its metadata", "add a schedule"});
    // There are no metrics, which is no mistake here.
    parts.context->provide<abi::TriggerWatch>(nullptr);
  }

  Schedule run(const train::LoopConfig& config) {
    const int64_t epochs = std::max<int64_t>(0, config.max_epoch - config.starting_epoch + 1);
    if (epochs > kMostSteps / std::max<int64_t>(1, config.steps_per_epoch))
      throw base::Error(base::Exit::usage,
                        base::Diagnostic{"/max_epoch", std::to_string(config.max_epoch),
                                         "at most " + std::to_string(kMostSteps) + " steps in all",
                                         "set a smaller one, for example max_epoch=100"});
    progress_.steps_per_epoch = config.steps_per_epoch;
    progress_.starting_epoch = config.starting_epoch;
    progress_.max_epoch = config.max_epoch;
    progress_.epoch_num = config.starting_epoch - 1;
    progress_.local_step = -1;
    progress_.global_step = int64_t(parts_.hypers->get("global_step"));
    all_steps_ = epochs * config.steps_per_epoch;
    stride_ = std::max<int64_t>(1, all_steps_ / kPoints);
    const Quiet quiet;
    call_all();
    if (schedule_.curves.front().epochs.empty())
      throw base::Error(base::Exit::manifest,
                        base::Diagnostic{"/max_epoch", "no step before the training ends",
                                         "at least one", "correct the manifest"});
    return std::move(schedule_);
  }

 private:
  // Adds the callback if it, or one inside it, sets a hyper-parameter.
  void choose(abi::Instance& instance) {
    bool sets = false;
    const std::vector<std::string> hypers = parts_.hypers->names();
    for (const train::MetricWords& words : parts_.metric_words) {
      if (!words.callback || !abi::contains(instance, *words.callback)) continue;
      bool waits = false;
      for (const std::string& name : words.produces)
        if (std::ranges::count(hypers, name) > 0) {
          add_curve(name);
          sets = true;
          waits = waits || !words.consumes.empty();
        }
      if (waits) schedule_.waiting.push_back(words.place);
    }
    if (sets) callbacks_.push_back(abi::Callback::make(instance));
  }
  void add_curve(const std::string& name) {
    if (!std::ranges::count(schedule_.curves, name, &Schedule::Curve::name))
      schedule_.curves.push_back({name, {}, {}});
  }

  // This and call_steps return false if a callback ends the training.
  bool call(broch_status (abi::Callback::*event)()) {
    return std::ranges::all_of(
        callbacks_, [&](abi::Callback& callback) { return (callback.*event)() == BROCH_OK; });
  }
  void call_all() {
    using abi::Callback;
    bool goes_on = call(&Callback::before_train);
    while (goes_on && progress_.epoch_num < progress_.max_epoch) {
      ++progress_.epoch_num;
      goes_on = call(&Callback::before_epoch) && call_steps() && call(&Callback::after_epoch) &&
                call(&Callback::trigger_epoch);
    }
  }
  bool call_steps() {
    for (int64_t step = 0; step < progress_.steps_per_epoch; ++step) {
      if (steps_ % stride_ == 0) look();
      ++steps_;
      progress_.local_step = step;
      ++progress_.global_step;
      if (steps_ == all_steps_) look();
      if (!call(&abi::Callback::trigger_step)) return false;
    }
    return true;
  }
  // Notes the values of the next step or, at the end, of the last one.
  void look() {
    const double epoch = double(progress_.starting_epoch - 1) +
                         double(steps_) / double(std::max<int64_t>(1, progress_.steps_per_epoch));
    for (Schedule::Curve& curve : schedule_.curves) {
      curve.epochs.push_back(epoch);
      curve.values.push_back(parts_.hypers->number(curve.name));
    }
  }

  const train::TrainerParts& parts_;
  broch_progress& progress_;
  std::vector<abi::Callback> callbacks_;
  Schedule schedule_;
  int64_t all_steps_ = 0, stride_ = 1, steps_ = 0;  // steps_: that are done
};

}  // namespace

Schedule rehearse(const session::Setup& setup) {
  session::RunOptions options;
  options.writes = false;
  session::Run run(setup, options);
  run.build();
  return Rehearsal(run.trainer().parts()).run(run.loop_config());
}

plot::Picture picture_of(const Schedule& schedule, const std::string& title) {
  plot::Picture picture{title, "epoch", {}};
  for (const Schedule::Curve& curve : schedule.curves)
    picture.panels.push_back({curve.name, {{curve.name, curve.epochs, curve.values}}});
  return picture;
}

}  // namespace broch::rates
