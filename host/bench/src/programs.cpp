// programs.cpp: records the programs of a run, and executes them once more to measure their calls.
#include "bench/programs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "tower/shapes_only.hpp"
#include "value/make.hpp"

namespace broch::bench {
namespace {

using value::Value;

// The time of each call is its minimum over this many executions, as far as they fit in this time.
constexpr int kMostRuns = 200, kFewestRuns = 5;
constexpr double kTimingSeconds = 2;

std::string name_of(const tower::Tower& tower) {
  return tower.spec().name.empty() ? "(only)" : base::quoted(tower.spec().name);
}

tower::Tower& chosen(session::Run& run, const std::string& wanted) {
  std::vector<std::string> known;
  if (const plan::Towers* towers = run.trainer().towers())
    for (tower::Tower* tower : towers->training()) {
      if (!tower) continue;
      const tower::TowerSpec& spec = tower->spec();
      const std::string index = std::to_string(spec.index);
      if (wanted.empty() || wanted == index || (!spec.name.empty() && wanted == spec.name))
        return *tower;
      known.push_back(spec.name.empty() ? index : base::quoted(spec.name) + " (" + index + ")");
    }
  throw base::Error(base::Exit::usage,
                    {"broch program dump",
                     wanted.empty() ? "a run without towers" : "--tower " + base::quoted(wanted),
                     known.empty() ? "a trainer that computes a model"
                                   : "a training tower: " + base::join(known, ", "),
                     ""});
}

session::RunOptions without_files() {
  session::RunOptions options;
  options.writes = false;
  return options;
}

// "%5 Float(2 3) = aten::mm(…)": the operator.
std::string operator_of(const std::string& call) {
  const size_t equals = call.find(" = ");
  const size_t begin = equals == std::string::npos ? 0 : equals + 3;
  return call.substr(begin, call.find('(', begin) - begin);
}

std::vector<double> smallest_times(const Program& program) {
  using Clock = std::chrono::steady_clock;
  runtime::Executable& executable = *program.runner.executable();
  // These executions are no steps, so code with state must not run.
  const tower::ShapesOnly no_host_code(true);
  const auto end = Clock::now() + std::chrono::duration<double>(kTimingSeconds);
  std::vector<double> smallest(executable.info().calls, std::numeric_limits<double>::infinity());
  for (int run = 0; run < kFewestRuns || (run < kMostRuns && Clock::now() < end); ++run) {
    const std::vector<double> times = executable.time(0);
    for (size_t i = 0; i < smallest.size(); ++i) smallest[i] = std::min(smallest[i], times[i]);
  }
  const std::vector<std::string> calls = program.calls();
  for (size_t i = 0; i < smallest.size(); ++i)
    if (operator_of(calls[i]).starts_with("kernel "))
      // Was not called, so its time is not known.
      smallest[i] = std::numeric_limits<double>::quiet_NaN();
  return smallest;
}

}  // namespace

std::string Program::execution() const {
  if (!runner.program()) return runner.state();
  return runner.state() + (runner.decided() ? ", verified" : ", not verified") + " after " +
         base::counted(steps, "step");
}

std::vector<std::string> Program::calls() const { return lines_of(runner.executable()->text()); }

double Program::total_time() const {
  double sum = 0;
  for (const double time : times)
    if (!std::isnan(time)) sum += time;
  return sum;
}

Programs::Programs(const session::SetupOptions& options, const std::string& tower)
    : setup_(options), run_(setup_, without_files()) {
  run_.build();
  tower::Tower& wanted = chosen(run_, tower);
  const int64_t steps = run_.record_programs();
  programs_.push_back(
      {"tower " + name_of(wanted), run_.trainer().executor().runner_of(wanted), steps});
  for (const replay::TowerRunner* runner : run_.trainer().plans().runners())
    programs_.push_back({runner->tower().describe(), *runner, steps});
}

void Programs::measure() {
  for (Program& program : programs_)
    if (program.runner.executable()) program.times = smallest_times(program);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Value trace_of(const Program& program) {
  const std::vector<std::string> calls = program.calls();
  const tower::ShapesOnly no_host_code(true);
  const std::vector<double> times = program.runner.executable()->time(0);
  Value::Array events;
  double start = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    events.push_back(value::object({{"name", value::text(operator_of(calls[i]))},
                                    {"cat", value::text("call")},
                                    {"ph", value::text("X")},
                                    {"ts", value::number(start)},
                                    {"dur", value::number(times[i])},
                                    {"pid", value::integer(1)},
                                    {"tid", value::integer(1)},
                                    {"args", value::object({{"call", value::text(calls[i])}})}}));
    start += times[i];
  }
  return value::object(
      {{"traceEvents", Value(std::move(events))}, {"displayTimeUnit", value::text("ns")}});
}

}  // namespace broch::bench
