// plan_command.cpp: broch plan: builds a run and shows what it would do, without training.
#include <iostream>

#include "base/error.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "session/run.hpp"

namespace broch::cli {
namespace {

struct PlanOptions {
  session::SetupOptions setup;
  std::string runtime = "torch";
  bool record = false;
  bool json = false;
};

std::string words(const std::optional<int64_t>& number) {
  return number ? std::to_string(*number) : "not known before training";
}

void add_program(Value& data, const std::optional<session::PlanReport::ProgramLine>& program) {
  if (!program) return;
  data.set("operators", integer(int64_t(program->operators)));
  data.set("calls", integer(int64_t(program->calls)));
  data.set("passes", list(program->passes));
  data.set("planned_bytes", integer(int64_t(program->planned_bytes)));
  data.set("unplanned_bytes", integer(int64_t(program->unplanned_bytes)));
  data.set("record_milliseconds", number(program->record_milliseconds));
}

Value tower_json(const session::PlanReport::TowerLine& tower) {
  Value data = object({{"name", text(tower.name)},
                       {"mode", text(tower.mode)},
                       {"device", text(tower.device)},
                       {"execution", text(tower.execution)},
                       {"define_milliseconds", number(tower.define.milliseconds)},
                       {"define_peak_bytes", integer(tower.define.peak_bytes)}});
  add_program(data, tower.program);
  return data;
}

Value update_json(const session::PlanReport::UpdateLine& update) {
  Value data = object({{"name", text(update.name)}, {"execution", text(update.execution)}});
  add_program(data, update.program);
  return data;
}

void print_plan_json(const session::PlanReport& report) {
  Value::Array towers, updates, parameters, layers, batch, callbacks;
  for (const auto& tower : report.towers) towers.push_back(tower_json(tower));
  for (const auto& update : report.updates) updates.push_back(update_json(update));
  for (const auto& parameter : report.parameters)
    parameters.push_back(object({{"name", text(parameter.name)},
                                 {"shape", text(parameter.shape)},
                                 {"elements", integer(parameter.elements)}}));
  for (const auto& layer : report.layers)
    layers.push_back(object({{"name", text(layer.name)},
                             {"output", text(layer.output)},
                             {"parameters", integer(layer.parameters)},
                             {"flops", integer(int64_t(layer.flops))},
                             {"bytes", integer(int64_t(layer.bytes))}}));
  for (const auto& [name, shape] : report.batch)
    batch.push_back(object({{"input", text(name)}, {"shape", text(shape)}}));
  for (const auto& callback : report.callbacks)
    callbacks.push_back(object({{"name", text(callback.name)},
                                {"component", text(callback.component)},
                                {"run_on", text(callback.run_on)}}));
  print_json(object({{"runtime", text(report.runtime)},
                     {"towers", Value(std::move(towers))},
                     {"updates", Value(std::move(updates))},
                     {"parameters", Value(std::move(parameters))},
                     {"parameter_count", integer(report.parameter_count)},
                     {"layers", Value(std::move(layers))},
                     {"inputs", Value(std::move(batch))},
                     {"batch_per_tower", integer(report.batch_per_tower)},
                     {"total_batch", integer(report.total_batch())},
                     {"steps_per_epoch", integer(report.steps_per_epoch)},
                     {"samples_per_epoch", integer(report.samples_per_epoch())},
                     {"callbacks", Value(std::move(callbacks))}}));
}

std::string mebibytes(int64_t bytes) {
  constexpr double kMebibyte = 1024 * 1024;
  return base::general(double(bytes) / kMebibyte, 3) + " MiB";
}

std::string shown(const std::string& tower) { return tower.empty() ? "(only)" : tower; }

void print_program(const std::string& tower, const session::PlanReport::ProgramLine& program) {
  std::cout << tower << ": " << base::counted(int64_t(program.operators), "operator") << " become "
            << base::counted(int64_t(program.calls), "call") << ", recorded in "
            << base::general(program.record_milliseconds, 3)
            << " ms\npasses: " << base::join(program.passes, ", ")
            << "\nmemory of values: " << mebibytes(int64_t(program.planned_bytes)) << " planned, "
            << mebibytes(int64_t(program.unplanned_bytes)) << " unplanned\n";
}

void print_towers(const session::PlanReport& report) {
  if (report.towers.empty()) return void(std::cout << "no towers\n");
  Table table({"tower", "mode", "device", "define", "peak memory", "execution"});
  for (const auto& tower : report.towers)
    table.add({shown(tower.name), tower.mode, tower.device,
               base::general(tower.define.milliseconds, 3) + " ms",
               tower.define.peak_bytes ? mebibytes(*tower.define.peak_bytes) : "not known",
               tower.execution});
  table.print();
  for (const auto& tower : report.towers)
    if (tower.program) print_program(shown(tower.name), *tower.program);
}

void print_updates(const session::PlanReport& report) {
  for (const auto& update : report.updates) {
    std::cout << update.name << ": " << update.execution << '\n';
    if (update.program) print_program(update.name, *update.program);
  }
}

void print_batch(const session::PlanReport& report) {
  if (!report.batch.empty()) {
    Table table({"input", "shape of a data point"});
    for (const auto& [name, shape] : report.batch) table.add({name, shape});
    table.print();
  }
  std::cout << "batch per tower: " << words(report.batch_per_tower)
            << "\ntotal batch: " << words(report.total_batch())
            << "\nsteps per epoch: " << words(report.steps_per_epoch)
            << "\nsamples per epoch: " << words(report.samples_per_epoch()) << '\n';
}

std::string megaflops(uint64_t flops) { return base::general(double(flops) / 1e6, 4); }

// Layers publish their result as "NAME/output".
std::string layer_name(std::string name) {
  constexpr std::string_view kEnd = "/output";
  if (name.ends_with(kEnd)) name.resize(name.size() - kEnd.size());
  return name;
}

void print_layers(const session::PlanReport& report) {
  if (report.layers.empty()) return;
  Table table({"layer", "output", "parameters", "MFLOP", "memory"});
  tower::LayerCost all;
  for (const tower::LayerCost& layer : report.layers) {
    table.add({layer_name(layer.name), layer.output, std::to_string(layer.parameters),
               megaflops(layer.flops), mebibytes(int64_t(layer.bytes))});
    all.parameters += layer.parameters;
    all.flops += layer.flops;
    all.bytes += layer.bytes;
  }
  table.add({"(all)", "", std::to_string(all.parameters), megaflops(all.flops),
             mebibytes(int64_t(all.bytes))});
  table.print();
  std::cout << "MFLOP: millions of multiplications and additions in matrix products, convolutions "
               "and\nattention, forward, for this data point\n\n";
}

void print_callbacks(const session::PlanReport& report) {
  Table table({"callback", "component", "run_on"});
  for (const auto& callback : report.callbacks)
    table.add({callback.name, callback.component, callback.run_on});
  table.print();
}

void print_plan(const session::PlanReport& report) {
  std::cout << "runtime: " << report.runtime << "\n\n";
  print_towers(report);
  print_updates(report);
  std::cout << '\n'
            << (report.trainables.empty() ? "no trainable variables" : report.trainables) << "\n\n";
  print_batch(report);
  std::cout << '\n';
  print_layers(report);
  print_callbacks(report);
}

// With the null backend, every result has the shape of the first argument, so shapes inside a model
// would be wrong.
void require_shapes(const PlanOptions& options, const session::Setup& setup) {
  if (options.runtime != "null" || !setup.manifest().model) return;
  throw base::Error(base::Exit::usage, {"plan --runtime null", "a manifest with a model",
                                        "one without, since the null runtime computes no shapes",
                                        "leave --runtime out"});
}

int plan(const PlanOptions& options) {
  const session::Setup setup(options.setup);
  require_shapes(options, setup);
  session::RunOptions run_options;
  run_options.null_runtime = options.runtime == "null";
  run_options.writes = false;
  const session::PlanReport report = session::plan_report(setup, run_options, options.record);
  options.json ? print_plan_json(report) : print_plan(report);
  return 0;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  static PlanOptions options;
  CLI::App* command =
      app.add_subcommand("plan", "Build a run, take one data point and show what would be trained");
  add_manifest_options(*command, options.setup);
  add_runtime_option(*command, options.runtime);
  command->add_flag("--record", options.record,
                    "Also run a few steps, without writing files, and show the recorded programs");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = plan(options); });
}

}  // namespace broch::cli
