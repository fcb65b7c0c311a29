// bench_command.cpp: broch bench MANIFEST measures what limits a run; broch bench host measures
// what the host itself costs per step.
#include <iostream>
#include <optional>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/real_number.hpp"
#include "base/text.hpp"
#include "bench/data_costs.hpp"
#include "bench/host_costs.hpp"
#include "bench/job_costs.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"

namespace broch::cli {
namespace {

struct HostOptions {
  bench::HostOptions host;
  bool json = false;
};

int bench_host(const HostOptions& options) {
  const bench::HostOptions& host = options.host;
  const double nanoseconds = bench::measure_host(host);
  const int64_t measured = host.measured_steps();
  if (options.json)
    print_json(object({{"nanoseconds_per_step", number(nanoseconds)},
                       {"steps", integer(host.steps)},
                       {"measured_steps", integer(measured)},
                       {"callbacks", integer(host.callbacks)}}));
  else
    std::cout << base::general(nanoseconds, 4) << " ns per step, over steps " << measured << " to "
              << 2 * measured << ", with " << base::counted(host.callbacks, "callback") << '\n';
  return 0;
}

struct BenchOptions {
  bench::JobOptions job;
  std::string runtime = "torch";
  std::optional<double> seconds;  // for each stage of a dataflow
  bool json = false;
};

void print_costs_json(const BenchOptions& options, const bench::JobCosts& costs,
                      const bench::DataCosts& data) {
  Value whole = object({{"steps", integer(options.job.steps)},
                        {"microseconds_per_step", object({{"whole", number(costs.whole)},
                                                          {"waiting", number(costs.waiting)},
                                                          {"data", number(costs.data)},
                                                          {"model", number(costs.model)},
                                                          {"callbacks", number(costs.callbacks)}})},
                        {"slowest_callback", text(costs.slowest_callback)},
                        {"limit", text(costs.limit())}});
  Value::Array stages, threads;
  for (const data::StageCost& stage : data.stages)
    stages.push_back(object({{"use", text(stage.use)},
                             {"depth", integer(stage.depth)},
                             {"points", integer(stage.points)},
                             {"points_per_second", number(stage.per_second)},
                             {"microseconds_per_point", number(stage.per_point)},
                             {"own_microseconds", number(stage.own)}}));
  for (const auto& [count, microseconds] : data.per_threads)
    threads.push_back(
        object({{"threads", integer(count)}, {"microseconds_per_step", number(microseconds)}}));
  if (options.job.only == "data") {
    whole.set("stages", Value(std::move(stages)));
    whole.set("input_threads", Value(std::move(threads)));
  }
  print_json(whole);
}

// The most expensive part, and what to do about it.
std::string advice(const bench::JobCosts& costs) {
  const std::string limit = costs.limit();
  if (limit == "model") return "the model: broch program dump --time shows its calls";
  if (limit == "data") return "the data: steps wait for it; make the dataflow faster";
  return "callbacks" +
         (costs.slowest_callback.empty() ? "" : ", most of all " + costs.slowest_callback);
}

void print_costs(const bench::JobCosts& costs) {
  Table table({"part", "us per step", "what"});
  const auto add = [&](const char* part, const std::optional<double>& microseconds,
                       const char* what) {
    if (microseconds) table.add({part, base::general(*microseconds, 4), what});
  };
  add("whole", costs.whole, "the run as in its manifest");
  add("waiting", costs.waiting, "part of the whole: waiting for data");
  add("callbacks", costs.callbacks, "the whole without waiting and model");
  add("data", costs.data, "the data points of a step, without a model");
  add("model", costs.model, "the same data point in each step, default callbacks only");
  table.print();
  if (!costs.limit().empty()) std::cout << "limit: " << advice(costs) << '\n';
}

void print_data(const bench::DataCosts& data) {
  if (data.stages.empty()) return;
  std::cout << '\n';
  Table table({"stage, the innermost first", "points per s", "us per point", "its own us"});
  for (const data::StageCost& stage : data.stages)
    table.add({std::string(size_t(2 * stage.depth), ' ') + stage.use,
               base::general(stage.per_second, 4), base::general(stage.per_point, 4),
               base::general(stage.own, 4)});
  table.print();
  for (const auto& [threads, microseconds] : data.per_threads)
    std::cout << "input source with " << base::counted(threads, "thread") << ": "
              << base::general(microseconds, 4) << " us per step\n";
}

int bench(BenchOptions& options) {
  if (options.job.setup.manifest.empty())
    throw base::Error(base::Exit::usage, {"broch bench", "no manifest and no command",
                                          "a manifest, or: host", "broch bench --help tells more"});
  if (options.seconds && options.job.only != "data")
    base::fail(base::Exit::usage, "--seconds", "it without --only data",
               "--only data, which measures the stages of the dataflow",
               "--steps is for all parts");
  options.job.null_runtime = options.runtime == "null";
  const bench::JobCosts costs = bench::measure_job(options.job);
  bench::DataCosts data;
  if (options.job.only == "data")
    data = bench::measure_dataflow(options.job, options.seconds.value_or(1));
  if (options.json) return print_costs_json(options, costs, data), 0;
  print_costs(costs);
  print_data(data);
  return 0;
}

// CLI11 passes words that a subcommand does not accept to the command above.
void refuse_options_of(const CLI::App& bench) {
  for (const CLI::Option* option : bench.get_options())
    if (option->count() > 0)
      base::fail(base::Exit::usage, "broch bench host",
                 option->get_positional() ? base::quoted(option->results()[0]) : option->get_name(),
                 "options of its own only, behind the word host",
                 "broch bench host --help tells more");
}

void add_bench_host(CLI::App& bench, int& exit_code) {
  static HostOptions options;
  CLI::App* command =
      bench.add_subcommand("host", "Measure what the host costs per step, without any computation");
  command->add_option("--steps", options.host.steps, "Number of steps; the second half is measured")
      ->check(CLI::Range(int64_t{2}, int64_t{1'000'000'000}));
  command
      ->add_option("--callbacks", options.host.callbacks,
                   "Number of callbacks; each fetches a scalar")
      ->check(CLI::Range(int64_t{1}, int64_t{1000}));
  add_plugin_path(*command, options.host.plugin_path);
  add_json_flag(*command, options.json);
  command->callback([&bench, &exit_code] {
    refuse_options_of(bench);
    exit_code = bench_host(options);
  });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  static BenchOptions options;
  CLI::App* command = app.add_subcommand(
      "bench", "Measure what limits a run: its data, its model or its callbacks");
  add_manifest_options(*command, options.job.setup);
  command->get_option("manifest")->required(false);
  command->add_option("--only", options.job.only, "Measure only this part")
      ->check(CLI::IsMember({"data", "model", "callbacks"}));
  command
      ->add_option("--steps", options.job.steps,
                   "Steps per measurement, which never reaches the end of an epoch")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
  command
      ->add_option("--seconds", options.seconds,
                   "With --only data: how long each stage of the dataflow is measured")
      ->check(base::within(0.001, 3600));
  add_runtime_option(*command, options.runtime);
  add_json_flag(*command, options.json);
  add_bench_host(*command, exit_code);
  command->callback([command, &exit_code] {
    if (command->get_subcommands().empty()) exit_code = bench(options);
  });
}

}  // namespace broch::cli
