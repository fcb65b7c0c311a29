// host_costs.cpp: trains for two epochs: the first warms up, the second is measured.
#include "bench/host_costs.hpp"

#include "base/error.hpp"
#include "manifest/defaults.hpp"
#include "session/run.hpp"
#include "value/json.hpp"
#include "value/make.hpp"

namespace broch::bench {
namespace {

using value::integer;
using value::text;
using value::Value;

constexpr const char* kMetric = "nanoseconds_per_step";

// A run that consists of the loop alone: the null backend (names and counters), callbacks in C that
// fetch one scalar each, and the default callbacks except moving averages.
Value manifest_of(const HostOptions& options) {
  Value::Array callbacks;
  for (int64_t i = 0; i < options.callbacks; ++i)
    callbacks.push_back(
        manifest::default_entry("/bench/callback", {{"fetch", text("scalar" + std::to_string(i))},
                                                    {"metric", i == 0 ? text(kMetric) : Value()}}));
  return value::object({{"broch", integer(1)},
                        {"name", text("bench host")},
                        {"model", manifest::default_entry(
                                      "/bench/model", {{"scalars", integer(options.callbacks)}})},
                        {"data", manifest::default_entry("/bench/data")},
                        {"callbacks", Value(std::move(callbacks))},
                        {"extra_callbacks", manifest::default_entry("/bench/extra_callbacks")},
                        {"monitors", Value(Value::Array{})},
                        {"steps_per_epoch", integer(options.measured_steps())},
                        {"max_epoch", integer(2)}});
}

}  // namespace

double measure_host(const HostOptions& options) {
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

}  // namespace broch::bench
