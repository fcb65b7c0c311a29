// job_costs.cpp: measures the whole run, its data without a model, and its model without data.
#include "bench/job_costs.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "runtime/point.hpp"
#include "session/run.hpp"
#include "value/json.hpp"

namespace broch::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kFewestWarm = 5, kMostWarm = 64;  // steps before the measured ones

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Waits until the programs of all towers are decided, then measures a number of steps.
class Stopwatch {
 public:
  Stopwatch(session::Run& run, int64_t steps) : run_(run), steps_(steps) {}

  // To be called before each step. Returns true after the last measured step.
  bool enough() {
    if (!start_) {
      if (warm_ == kMostWarm || (warm_ >= kFewestWarm && towers_are_decided())) begin();
      ++warm_;
      return false;
    }
    if (++done_ < steps_) return false;
    microseconds_ = microseconds_since(*start_);
    if (plan::Input* input = run_.trainer().input()) waited_ = input->waited_seconds() * 1e6;
    return true;
  }
  double per_step() const { return microseconds_ / double(steps_); }
  double waited_per_step() const { return waited_ / double(steps_); }
  bool finished() const { return start_ && done_ == steps_; }

 private:
  bool towers_are_decided() const {
    const plan::Towers* towers = run_.trainer().towers();
    return !towers || std::ranges::all_of(towers->training(), [this](tower::Tower* tower) {
      return !tower || run_.trainer().executor().runner_of(*tower).decided();
    });
  }
  void begin() {
    if (plan::Input* input = run_.trainer().input()) input->measure_waits();
    start_ = Clock::now();
  }

  session::Run& run_;
  int64_t steps_, warm_ = 0, done_ = 0;
  std::optional<Clock::time_point> start_;
  double microseconds_ = 0, waited_ = 0;
};

void time_steps(session::Run& run, Stopwatch& watch, const char* what) {
  const base::Exit exit = run.train_until([&] { return watch.enough(); });
  if (exit == base::Exit::ok && watch.finished()) return;
  throw base::Error(
      exit == base::Exit::ok ? base::Exit::data : exit,
      {std::string("measuring ") + what, "a run that ended before its steps were done",
       "all of them", "take fewer with --steps"});
}

session::RunOptions run_options(const JobOptions& options) {
  session::RunOptions run;
  run.null_runtime = options.null_runtime;
  run.writes = false;
  return run;
}

std::string slowest_callback(const train::Callbacks& callbacks) {
  std::string slowest;
  double most = 0;
  for (const auto& slot : callbacks.slots()) {
    double seconds = 0;
    for (const auto event : {train::TimedEvent::before_run, train::TimedEvent::after_run,
                             train::TimedEvent::trigger_step})
      seconds += callbacks.seconds(*slot, event);
    if (seconds > most) most = seconds, slowest = slot->name();
  }
  return slowest;
}

// Measures with everything that a run has, including a log folder.
void measure_whole(const JobOptions& options, JobCosts& costs) {
  const base::ScratchFolder scratch("broch-bench");  // for the log folder; removed at the end
  const session::Setup setup(options.setup);
  session::RunOptions writing = run_options(options);
  writing.writes = true;
  writing.log_dir = (scratch.path() / "log").string();
  session::Run run(setup, writing);
  run.build();
  Stopwatch watch(run, options.steps);
  time_steps(run, watch, "the whole");
  costs.whole = watch.per_step();
  costs.waiting = watch.waited_per_step();
  costs.slowest_callback = slowest_callback(run.trainer().callbacks());
}

void measure_model(const JobOptions& options, JobCosts& costs) {
  const session::Setup setup(options.setup);
  session::RunOptions alone = run_options(options);
  alone.all_callbacks = false;
  session::Run run(setup, alone);
  run.build();
  run.trainer().executor().reuse_points();
  Stopwatch watch(run, options.steps);
  time_steps(run, watch, "the model");
  costs.model = watch.per_step();
}

// Takes one data point per tower and step, just as a step would.
void measure_data(const JobOptions& options, JobCosts& costs) {
  const session::Setup setup(options.setup);
  session::Run run(setup, run_options(options));
  run.build();
  plan::Input* const input = run.trainer().input();
  if (!input || input->is_placeholder()) return;
  const plan::Towers* towers = run.trainer().towers();
  const auto points = uint32_t(towers ? std::max<size_t>(1, towers->training().size()) : 1);
  runtime::Point point;
  const auto take_step = [&] {
    for (uint32_t tower = 0; tower < points; ++tower) {
      point.clear();
      if (run.take_point(tower, point) == BROCH_OK) continue;
      throw base::Error(base::Exit::data, {"measuring data", "the end of the data",
                                           "a point for each step", "take fewer with --steps"});
    }
  };
  input->set_towers(points);
  input->start({});
  take_step();
  const Clock::time_point start = Clock::now();
  for (int64_t step = 0; step < options.steps; ++step) take_step();
  costs.data = microseconds_since(start) / double(options.steps);
  input->stop();
}

}  // namespace

std::string JobCosts::limit() const {
  if (!whole || !model || !callbacks) return "";
  const double most = std::max({*waiting, *model, *callbacks});
  return most == *model ? "model" : most == *waiting ? "data" : "callbacks";
}

JobCosts measure_job(const JobOptions& options) {
  JobCosts costs;
  const bool all = options.only.empty(), callbacks = all || options.only == "callbacks";
  if (callbacks) measure_whole(options, costs);
  if (all || options.only == "data") measure_data(options, costs);
  if (callbacks || options.only == "model") measure_model(options, costs);
  if (callbacks) costs.callbacks = std::max(0.0, *costs.whole - *costs.waiting - *costs.model);
  return costs;
}

std::map<int64_t, double> measure_input_threads(const JobOptions& options) {
  std::map<int64_t, double> costs;
  const session::Setup setup(options.setup);
  const manifest::Component* const input = setup.input();
  const auto* const kind = input ? setup.kinds().find(input->use) : nullptr;
  const value::Value* const known = kind ? kind->options.find("properties") : nullptr;
  if (!known || !known->find("threads")) return costs;
  for (const int64_t threads : {1, 2}) {
    value::Value entry = input->entry;
    entry.find("with")->set("threads", value::Value(threads));
    value::Value whole = setup.manifest().resolved();
    whole.remove("dataflow");
    whole.set("data", entry);
    JobOptions with = options;
    with.setup.overrides.clear();
    with.setup.source = std::make_shared<const manifest::Source>(manifest::Source{
        options.setup.manifest, manifest::working_directory(), value::to_text(whole)});
    JobCosts one;
    measure_data(with, one);
    costs[threads] = *one.data;
  }
  return costs;
}

}  // namespace broch::bench
