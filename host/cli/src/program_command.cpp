// program_command.cpp: broch program dump: prints the program that was recorded for a tower.
#include <cmath>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "bench/programs.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "store/atomic_file.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

struct DumpOptions {
  session::SetupOptions setup;
  std::string tower;  // name or index; "": the first
  std::string trace;  // file; "": none
  bool dot = false, time = false, json = false;
};

using bench::lines_of;
using bench::Program;

double share_of(double time, double sum) { return sum > 0 ? time / sum : 0; }

void print_calls(const Program& program) {
  const std::vector<std::string> lines = program.calls();
  if (program.times.empty()) {
    for (const std::string& line : lines) std::cout << line << '\n';
    return;
  }
  const double sum = program.total_time();
  Table table({"us", "share", "call"});
  for (size_t i = 0; i < program.times.size(); ++i)
    if (std::isnan(program.times[i]))
      table.add({"-", "-", lines[i]});
    else
      table.add({base::general(program.times[i], 3),
                 base::general(100 * share_of(program.times[i], sum), 2) + " %", lines[i]});
  table.print();
  for (size_t i = program.times.size(); i < lines.size(); ++i) std::cout << lines[i] << '\n';
}

void print_text(const Program& program) {
  std::cout << program.name << ": " << program.execution() << '\n';
  const runtime::RecordedProgram* recorded = program.runner.program();
  if (!recorded) return;
  std::cout << "\nrecording: " << recorded->operators() << " operators in "
            << base::general(program.runner.record_milliseconds(), 3) << " ms\n"
            << recorded->text();
  const runtime::Executable* executable = program.runner.executable();
  if (!executable) return;
  const runtime::ExecutableInfo& info = executable->info();
  std::cout << "\nexecuted: " << info.calls << " calls";
  if (!program.times.empty()) std::cout << ", " << base::general(program.total_time(), 4) << " us";
  std::cout << "; passes: " << (info.passes.empty() ? "none" : base::join(info.passes, ", "))
            << "; memory: " << info.planned_bytes << " bytes for " << info.unplanned_bytes << '\n';
  print_calls(program);
}

Value calls_json(const Program& program) {
  const std::vector<std::string> lines = program.calls();
  const double sum = program.total_time();
  Value::Array calls;
  for (size_t i = 0; i < program.runner.executable()->info().calls; ++i) {
    Value call = object({{"call", text(lines[i])}});
    if (!program.times.empty() && !std::isnan(program.times[i])) {
      call.set("microseconds", number(program.times[i]));
      call.set("share", number(share_of(program.times[i], sum)));
    }
    calls.push_back(std::move(call));
  }
  return Value(std::move(calls));
}

void add_program(Value& data, const Program& program) {
  data.set("execution", text(program.execution()));
  data.set("verified", Value(program.runner.program() && program.runner.decided()));
  if (const runtime::RecordedProgram* recorded = program.runner.program()) {
    data.set("operators", integer(int64_t(recorded->operators())));
    data.set("record_milliseconds", number(program.runner.record_milliseconds()));
    data.set("recording", list(lines_of(recorded->text())));
  }
  if (const runtime::Executable* executable = program.runner.executable()) {
    const runtime::ExecutableInfo& info = executable->info();
    data.set("passes", list(info.passes));
    data.set("planned_bytes", integer(int64_t(info.planned_bytes)));
    data.set("unplanned_bytes", integer(int64_t(info.unplanned_bytes)));
    data.set("executed", calls_json(program));
  }
}

void print_programs_json(const bench::Programs& programs) {
  const Program& tower = programs.tower();
  Value data =
      object({{"tower", text(tower.runner.tower().spec().name)}, {"steps", integer(tower.steps)}});
  add_program(data, tower);
  Value::Array others;
  for (const Program& update : programs.updates()) {
    Value other = object({{"name", text(update.name)}});
    add_program(other, update);
    others.push_back(std::move(other));
  }
  data.set("updates", Value(std::move(others)));
  print_json(data);
}

void print_programs(const bench::Programs& programs) {
  print_text(programs.tower());
  for (const Program& update : programs.updates()) {
    std::cout << '\n';
    print_text(update);
  }
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
  if (!options.trace.empty()) {
    base::require_replaceable_trace(options.trace);
    store::require_writable(options.trace);
  }
  bench::Programs programs(options.setup, options.tower);
  const replay::TowerRunner& runner = programs.tower().runner;
  require_program(runner, options);
  if (options.time) programs.measure();
  if (!options.trace.empty()) {
    store::write_atomically(options.trace,
                            value::to_pretty_text(bench::trace_of(programs.tower())));
    base::info("trace: " + options.trace);
  }
  if (options.json)
    print_programs_json(programs);
  else if (options.dot)
    std::cout << runner.program()->dot();
  else
    print_programs(programs);
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
