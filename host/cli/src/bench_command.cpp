// bench_command.cpp: broch bench host: what the host itself costs in each step.
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "manifest/json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/run.hpp"

namespace broch::cli {
namespace {

constexpr int64_t kEpochs = 2;  // the first warms up, the second is measured

struct BenchOptions {
  std::vector<std::string> plugin_path;
  int64_t steps = 2000;
  int64_t callbacks = 20;
  bool json = false;
};

Value component(const char* use, Value with) {
  return object({{"use", text(use)}, {"with", std::move(with)}});
}

// A run of nothing but the loop: names and counters (null runtime), callbacks in C that each fetch
// a scalar of their own, and the default callbacks but for moving averages.
Value manifest_of(const BenchOptions& options) {
  Value::Array callbacks;
  for (int64_t i = 0; i < options.callbacks; ++i)
    callbacks.push_back(component("bench", object({{"fetch", text("scalar" + std::to_string(i))},
                                                   {"measure", Value(i == 0)}})));
  const Value shape(Value::Array{Value(Value::Array{})});
  return object(
      {{"broch", integer(1)},
       {"name", text("bench host")},
       {"model", component("bench", object({{"scalars", integer(options.callbacks)}}))},
       {"data", component("dummy-constant", object({{"shapes", shape}}))},
       {"callbacks", Value(std::move(callbacks))},
       {"extra_callbacks", list({"progress-bar", "merge-all-summaries", "run-update-ops"})},
       {"monitors", Value(Value::Array{})},
       {"steps_per_epoch", integer(options.steps / kEpochs)},
       {"max_epoch", integer(kEpochs)}});
}

double nanoseconds_per_step(const BenchOptions& options) {
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
  const broch_metric_point* point = run.trainer().monitors().latest("nanoseconds_per_step");
  if (exit != base::Exit::ok || !point)
    throw base::Error(exit == base::Exit::ok ? base::Exit::training : exit,
                      {"bench host", "a run that did not end well", "all steps", ""});
  return point->value;
}

int bench_host(const BenchOptions& options) {
  const double nanoseconds = nanoseconds_per_step(options);
  const int64_t measured = options.steps / kEpochs;
  if (options.json)
    print_json(object({{"nanoseconds_per_step", number(nanoseconds)},
                       {"steps", integer(options.steps)},
                       {"measured_steps", integer(measured)},
                       {"callbacks", integer(options.callbacks)}}));
  else
    std::cout << base::general(nanoseconds, 4) << " ns a step, over steps " << measured << " to "
              << 2 * measured << ", with " << options.callbacks << " callbacks\n";
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  static BenchOptions options;
  CLI::App* bench = app.add_subcommand("bench", "Measure");
  bench->require_subcommand(1);
  CLI::App* command =
      bench->add_subcommand("host", "What the host costs in each step, without any computation");
  command->add_option("--steps", options.steps, "How many; the second half is measured")
      ->check(CLI::Range(int64_t{kEpochs}, int64_t{1'000'000'000}));
  command->add_option("--callbacks", options.callbacks, "How many, each fetching a scalar")
      ->check(CLI::Range(int64_t{1}, int64_t{1000}));
  add_plugin_path(*command, options.plugin_path);
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = bench_host(options); });
}

}  // namespace broch::cli
