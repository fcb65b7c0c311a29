// bench_command.cpp: broch bench MANIFEST measures what limits a run; broch bench host measures
// what the host itself costs per step.
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/real_number.hpp"
#include "base/text.hpp"
#include "bench/job_costs.hpp"
#include "commands.hpp"
#include "data/stage_costs.hpp"
#include "manifest/defaults.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/run.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

constexpr int64_t kEpochs = 2;  // the first is for warming up, the second is measured
constexpr const char* kMetric = "nanoseconds_per_step";

struct HostOptions {
  std::vector<std::string> plugin_path;
  int64_t steps = 2000;
  int64_t callbacks = 20;
  bool json = false;
};

// A run that consists of the loop alone: the null backend (names and counters), callbacks in C that
// fetch one scalar each, and the default callbacks except moving averages.
Value manifest_of(const HostOptions& options) {
  Value::Array callbacks;
  for (int64_t i = 0; i < options.callbacks; ++i)
    callbacks.push_back(
        manifest::default_entry("/bench/callback", {{"fetch", text("scalar" + std::to_string(i))},
                                                    {"metric", i == 0 ? text(kMetric) : Value()}}));
  return object({{"broch", integer(1)},
                 {"name", text("bench host")},
                 {"model", manifest::default_entry("/bench/model",
                                                   {{"scalars", integer(options.callbacks)}})},
                 {"data", manifest::default_entry("/bench/data")},
                 {"callbacks", Value(std::move(callbacks))},
                 {"extra_callbacks", manifest::default_entry("/bench/extra_callbacks")},
                 {"monitors", Value(Value::Array{})},
                 {"steps_per_epoch", integer(options.steps / kEpochs)},
                 {"max_epoch", integer(kEpochs)}});
}

double nanoseconds_per_step(const HostOptions& options) {
  session::SetupOptions setup_options;
  setup_options.source = std::make_shared<const manifest::Source>(manifest::Source{
      "bench host", manifest::working_directory(), manifest::to_text(manifest_of(options))});
  setup_options.plugin_path = options.plugin_path;
  const session::Setup setup(setup_options);
  session::RunOptions run_options;
  run_options.null_runtime = true;
  run_options.writes = false;
  session::Run run(setup, run_options);
  run.build();
  const base::Exit exit = run.train();
  const broch_metric_point* point = run.trainer().monitors().latest(kMetric);
  if (exit != base::Exit::ok || !point)
    throw base::Error(exit == base::Exit::ok ? base::Exit::training : exit,
                      {"bench host", "a run that did not end well", "all steps", ""});
  return point->value;
}

int bench_host(const HostOptions& options) {
  const double nanoseconds = nanoseconds_per_step(options);
  const int64_t measured = options.steps / kEpochs;
  if (options.json)
    print_json(object({{kMetric, number(nanoseconds)},
                       {"steps", integer(options.steps)},
                       {"measured_steps", integer(measured)},
                       {"callbacks", integer(options.callbacks)}}));
  else
    std::cout << base::general(nanoseconds, 4) << " ns per step, over steps " << measured << " to "
              << 2 * measured << ", with " << base::counted(options.callbacks, "callback") << '\n';
  return 0;
}

struct BenchOptions {
  bench::JobOptions job;
  std::string runtime = "torch";
  double seconds = 1;  // for each stage of a dataflow
  bool json = false;
};

// More about the data, for --only data.
struct DataCosts {
  std::vector<data::StageCost> stages;    // empty: the input has no dataflow
  std::map<int64_t, double> per_threads;  // microseconds per step, by threads of the input source
};

DataCosts measure_data(const BenchOptions& options) {
  DataCosts costs;
  const session::Setup setup(options.job.setup);
  if (!setup.input() || !data::dataflow_in(*setup.input())) return costs;
  data::Flow flow(options.job.setup);
  costs.stages = data::measure_stages(flow, options.seconds);
  if (flow.is_indexed()) costs.per_threads = bench::measure_input_threads(options.job);
  return costs;
}

Value optional(const std::optional<double>& microseconds) {
  return microseconds ? number(*microseconds) : Value();
}

void print_costs_json(const BenchOptions& options, const bench::JobCosts& costs,
                      const DataCosts& data) {
  Value whole =
      object({{"steps", integer(options.job.steps)},
              {"microseconds_per_step", object({{"whole", optional(costs.whole)},
                                                {"waiting", optional(costs.waiting)},
                                                {"data", optional(costs.data)},
                                                {"model", optional(costs.model)},
                                                {"callbacks", optional(costs.callbacks)}})},
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

void print_data(const DataCosts& data) {
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
  options.job.null_runtime = options.runtime == "null";
  const bench::JobCosts costs = bench::measure_job(options.job);
  DataCosts data;
  if (options.job.only == "data") data = measure_data(options);
  if (options.json) return print_costs_json(options, costs, data), 0;
  print_costs(costs);
  print_data(data);
  return 0;
}

void add_bench_host(CLI::App& bench, int& exit_code) {
  static HostOptions options;
  CLI::App* command =
      bench.add_subcommand("host", "Measure what the host costs per step, without any computation");
  command->add_option("--steps", options.steps, "Number of steps; the second half is measured")
      ->check(CLI::Range(int64_t{kEpochs}, int64_t{1'000'000'000}));
  command
      ->add_option("--callbacks", options.callbacks, "Number of callbacks; each fetches a scalar")
      ->check(CLI::Range(int64_t{1}, int64_t{1000}));
  add_plugin_path(*command, options.plugin_path);
  add_json_flag(*command, options.json);
  const CLI::Option* manifest = bench.get_option("manifest");
  command->callback([manifest, &exit_code] {
    // CLI11 passes words that a subcommand does not accept to the command above.
    if (manifest->count() != 0)
      throw base::Error(base::Exit::usage,
                        {"broch bench host", base::quoted(manifest->results()[0]), "options only",
                         "broch bench host --help tells more"});
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
