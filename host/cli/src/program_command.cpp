// program_command.cpp: broch program dump: prints the program that was recorded for a tower.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/run.hpp"
#include "store/atomic_file.hpp"
#include "tower/shapes_only.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

// The time of each call is its minimum over this many executions, as far as they fit in this time.
constexpr int kMostRuns = 200, kFewestRuns = 5;
constexpr double kTimingSeconds = 2;

struct DumpOptions {
  session::SetupOptions setup;
  std::string tower;  // name or index; "": the first
  std::string trace;  // file; "": none
  bool dot = false, time = false, json = false;
};

std::string name_of(const tower::Tower& tower) {
  return tower.spec().name.empty() ? "(only)" : base::quoted(tower.spec().name);
}

tower::Tower& choose(session::Run& run, const std::string& wanted) {
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

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// "%5 Float(2 3) = aten::mm(…)": the operator.
std::string operator_of(const std::string& line) {
  const size_t equals = line.find(" = ");
  const size_t begin = equals == std::string::npos ? 0 : equals + 3;
  return line.substr(begin, line.find('(', begin) - begin);
}

std::vector<double> smallest_times(runtime::Executable& executable) {
  using Clock = std::chrono::steady_clock;
  // These executions are no steps, so code with state must not run.
  const tower::ShapesOnly no_host_code(true);
  const auto end = Clock::now() + std::chrono::duration<double>(kTimingSeconds);
  std::vector<double> smallest(executable.info().calls, std::numeric_limits<double>::infinity());
  for (int run = 0; run < kFewestRuns || (run < kMostRuns && Clock::now() < end); ++run) {
    const std::vector<double> times = executable.time(0);
    for (size_t i = 0; i < smallest.size(); ++i) smallest[i] = std::min(smallest[i], times[i]);
  }
  const std::vector<std::string> lines = lines_of(executable.text());
  for (size_t i = 0; i < smallest.size(); ++i)
    if (operator_of(lines[i]).starts_with("kernel "))
      // Was not called, so its time is not known.
      smallest[i] = std::numeric_limits<double>::quiet_NaN();
  return smallest;
}

// Without the calls whose time is not known.
double sum_of(const std::vector<double>& times) {
  double sum = 0;
  for (const double time : times)
    if (!std::isnan(time)) sum += time;
  return sum;
}

double share_of(double time, double sum) { return sum > 0 ? time / sum : 0; }

// Writes one execution as trace events for Chrome, one event per call.
void write_trace(runtime::Executable& executable, const std::string& path) {
  const std::vector<std::string> lines = lines_of(executable.text());
  const tower::ShapesOnly no_host_code(true);
  const std::vector<double> times = executable.time(0);
  Value::Array events;
  double start = 0;
  for (size_t i = 0; i < times.size(); ++i) {
    events.push_back(object({{"name", text(operator_of(lines[i]))},
                             {"cat", text("call")},
                             {"ph", text("X")},
                             {"ts", number(start)},
                             {"dur", number(times[i])},
                             {"pid", integer(1)},
                             {"tid", integer(1)},
                             {"args", object({{"call", text(lines[i])}})}}));
    start += times[i];
  }
  const Value trace =
      object({{"traceEvents", Value(std::move(events))}, {"displayTimeUnit", text("ns")}});
  store::write_atomically(path, value::to_pretty_text(trace));
  base::info("trace: " + path);
}

// What is known about a program after some steps.
struct Dump {
  std::string name;  // for the reader
  const replay::TowerRunner& runner;
  int64_t steps;
  std::vector<double> times;  // per call, if requested

  std::string execution() const {
    if (!runner.program()) return runner.state();
    return runner.state() + (runner.decided() ? ", verified" : ", not verified") + " after " +
           base::counted(steps, "step");
  }
};

void print_calls(const Dump& dump, const std::vector<std::string>& lines) {
  if (dump.times.empty()) {
    for (const std::string& line : lines) std::cout << line << '\n';
    return;
  }
  const double sum = sum_of(dump.times);
  Table table({"us", "share", "call"});
  for (size_t i = 0; i < dump.times.size(); ++i)
    if (std::isnan(dump.times[i]))
      table.add({"-", "-", lines[i]});
    else
      table.add({base::general(dump.times[i], 3),
                 base::general(100 * share_of(dump.times[i], sum), 2) + " %", lines[i]});
  table.print();
  for (size_t i = dump.times.size(); i < lines.size(); ++i) std::cout << lines[i] << '\n';
}

void print_text(const Dump& dump) {
  std::cout << dump.name << ": " << dump.execution() << '\n';
  const runtime::RecordedProgram* program = dump.runner.program();
  if (!program) return;
  std::cout << "\nrecording: " << program->operators() << " operators in "
            << base::general(dump.runner.record_milliseconds(), 3) << " ms\n"
            << program->text();
  const runtime::Executable* executable = dump.runner.executable();
  if (!executable) return;
  const runtime::ExecutableInfo& info = executable->info();
  std::cout << "\nexecuted: " << info.calls << " calls";
  if (!dump.times.empty()) std::cout << ", " << base::general(sum_of(dump.times), 4) << " us";
  std::cout << "; passes: " << (info.passes.empty() ? "none" : base::join(info.passes, ", "))
            << "; memory: " << info.planned_bytes << " bytes for " << info.unplanned_bytes << '\n';
  print_calls(dump, lines_of(executable->text()));
}

Value calls_of(const Dump& dump) {
  const std::vector<std::string> lines = lines_of(dump.runner.executable()->text());
  const double sum = sum_of(dump.times);
  Value::Array calls;
  for (size_t i = 0; i < dump.runner.executable()->info().calls; ++i) {
    Value call = object({{"call", text(lines[i])}});
    if (!dump.times.empty() && !std::isnan(dump.times[i])) {
      call.set("microseconds", number(dump.times[i]));
      call.set("share", number(share_of(dump.times[i], sum)));
    }
    calls.push_back(std::move(call));
  }
  return Value(std::move(calls));
}

void add_program(Value& data, const Dump& dump) {
  data.set("execution", text(dump.execution()));
  data.set("verified", Value(dump.runner.program() && dump.runner.decided()));
  if (const runtime::RecordedProgram* program = dump.runner.program()) {
    data.set("operators", integer(int64_t(program->operators())));
    data.set("record_milliseconds", number(dump.runner.record_milliseconds()));
    data.set("recording", list(lines_of(program->text())));
  }
  if (const runtime::Executable* executable = dump.runner.executable()) {
    const runtime::ExecutableInfo& info = executable->info();
    data.set("passes", list(info.passes));
    data.set("planned_bytes", integer(int64_t(info.planned_bytes)));
    data.set("unplanned_bytes", integer(int64_t(info.unplanned_bytes)));
    data.set("executed", calls_of(dump));
  }
}

void print_dump_json(const Dump& tower, const std::vector<Dump>& updates) {
  Value data =
      object({{"tower", text(tower.runner.tower().spec().name)}, {"steps", integer(tower.steps)}});
  add_program(data, tower);
  Value::Array others;
  for (const Dump& update : updates) {
    Value other = object({{"name", text(update.name)}});
    add_program(other, update);
    others.push_back(std::move(other));
  }
  data.set("updates", Value(std::move(others)));
  print_json(data);
}

Dump dump_of(std::string name, const replay::TowerRunner& runner, int64_t steps, bool time) {
  Dump dump{std::move(name), runner, steps, {}};
  if (runner.executable() && time) dump.times = smallest_times(*runner.executable());
  return dump;
}

// --trace and --dot need a recorded program.
void require_program(const replay::TowerRunner& runner, const DumpOptions& options) {
  const bool traces = !options.trace.empty();
  if ((!traces || runner.executable()) && (!options.dot || runner.program())) return;
  throw base::Error(base::Exit::usage,
                    {std::string("broch program dump ") + (traces ? "--trace" : "--dot"),
                     "the tower is " + runner.state(), "a tower that is recorded",
                     "look at it without the option"});
}

int dump(const DumpOptions& options) {
  const session::Setup setup(options.setup);
  session::RunOptions run_options;
  run_options.writes = false;
  session::Run run(setup, run_options);
  run.build();
  tower::Tower& tower = choose(run, options.tower);
  const int64_t steps = run.record_programs();
  const replay::TowerRunner& runner = run.trainer().executor().runner_of(tower);
  require_program(runner, options);
  const Dump dump = dump_of("tower " + name_of(tower), runner, steps, options.time);
  std::vector<Dump> updates;
  for (const replay::TowerRunner* other : run.trainer().plans().runners())
    updates.push_back(dump_of(other->tower().describe(), *other, steps, options.time));
  if (!options.trace.empty()) write_trace(*runner.executable(), options.trace);
  if (options.json) {
    print_dump_json(dump, updates);
  } else if (options.dot) {
    std::cout << runner.program()->dot();
  } else {
    print_text(dump);
    for (const Dump& update : updates) {
      std::cout << '\n';
      print_text(update);
    }
  }
  return 0;
}

}  // namespace

void add_program(CLI::App& app, int& exit_code) {
  static DumpOptions options;
  CLI::App* program = app.add_subcommand("program", "Show recorded programs");
  program->require_subcommand(1);
  CLI::App* command =
      program->add_subcommand("dump",
                              "Run a few steps, without writing files, and print the programs of a "
                              "tower and of updates: as recorded, then as executed");
  add_manifest_options(*command, options.setup);
  command->add_option("--tower", options.tower,
                      "Name or index of a training tower; by default the first");
  CLI::Option* dot = command->add_flag("--dot", options.dot,
                                       "Print the recording as a graph for Graphviz instead");
  command
      ->add_flag(
          "--time", options.time,
          "Show the shortest time and the share of each call; kernels of plugins are not called")
      ->excludes(dot);
  command->add_option("--trace", options.trace,
                      "Also write a file for chrome://tracing: one execution, call by call");
  add_json_flag(*command, options.json)->excludes(dot);
  command->callback([&exit_code] { exit_code = dump(options); });
}

}  // namespace broch::cli
