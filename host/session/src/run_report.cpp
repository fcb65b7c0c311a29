// run_report.cpp: describes what a run would do, and evaluates a model without training.
#include <algorithm>

#include "abi/nesting.hpp"
#include "abi/roles.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/misfit.hpp"
#include "plan/stop.hpp"
#include "runtime/point.hpp"
#include "session/run.hpp"
#include "train/trainable_table.hpp"

namespace broch::session {
namespace {

std::string shape_of(const broch_dl_tensor& view) {
  return base::shape_text({view.shape, static_cast<size_t>(view.ndim)}) + " " +
         runtime::dtype_name(runtime::from_dl(view.dtype));
}

// Checks the data point against the signature, as a step would, and runs the first tower on it.
std::vector<tower::LayerCost> layers_of(runtime::Backend& backend, const runtime::Point& point,
                                        plan::Towers& towers, plan::Input& input) {
  const auto first = std::ranges::find_if(towers.training(), [](auto* tower) { return tower; });
  // Towers that exchange tensors within a step do not run alone.
  const bool trains =
      first != towers.training().end() && !((*first)->meets() && (*first)->spec().total > 1);
  std::vector<runtime::Tensor> tensors;
  try {
    const runtime::Device device = trains ? (*first)->spec().device : runtime::Device();
    tensors = runtime::point_tensors(backend, point, input.signature(), device);
    input.place(tensors, towers.example(device));
  } catch (const base::Error& error) {
    throw plan::misfit(error, input.instance());
  }
  if (!trains) return {};
  return (*first)->measure_layers(std::move(tensors));
}

[[noreturn]] void refuse_without_evaluation(const plugins::Catalog& catalog) {
  std::vector<std::string> known;
  for (const plugins::Found& found : catalog.components())
    if (found.component.evaluates) known.push_back(found.component.id);
  throw base::Error(base::Exit::manifest,
                    base::Diagnostic{"/callbacks", "no callback that evaluates the model",
                                     "one of " + base::join(known, ", "), "add one to callbacks"});
}

PlanReport report_of(const Setup& setup, const RunOptions& options) {
  Run run(setup, options);
  run.build();
  return run.report();
}

void add_programs(const Setup& setup, const RunOptions& options, PlanReport& report) {
  Run run(setup, options);
  run.build();
  run.record_programs();
  const std::vector<PlanReport::TowerLine> lines = run.tower_lines();
  for (size_t i = 0; i < lines.size(); ++i) {
    report.towers[i].execution = lines[i].execution;
    report.towers[i].program = lines[i].program;
  }
  report.updates = run.update_lines();
}

std::optional<int64_t> times(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  return a && b ? std::optional<int64_t>(*a * *b) : std::nullopt;
}

}  // namespace

std::optional<int64_t> PlanReport::total_batch() const {
  return times(batch_per_tower, training_towers);
}

std::optional<int64_t> PlanReport::samples_per_epoch() const {
  return times(total_batch(), steps_per_epoch);
}

PlanReport plan_report(const Setup& setup, const RunOptions& options, bool records) {
  PlanReport report = report_of(setup, options);
  if (records) add_programs(setup, options, report);
  return report;
}

PlanReport Run::report() {
  PlanReport report;
  report.runtime = backend_->version();
  report.towers = tower_lines();
  report.updates = update_lines();
  report.training_towers = int64_t(report.towers.size());
  report.trainables = train::trainable_table(*variables_, trainer_->plans().remarks());
  for (const auto& variable : variables_->all())
    if (variable->trainable()) {
      report.parameters.push_back(
          {variable->name, runtime::to_string(variable->shape), variable->shape.elements()});
      report.parameter_count += variable->shape.elements();
    }
  report.steps_per_epoch = count_steps();
  if (plan::Input* input = trainer_->input(); input && !input->is_placeholder())
    report_batch(*input, report);
  report.callbacks = callback_lines();
  return report;
}

broch_status Run::take_point(uint32_t tower, runtime::Point& point) {
  plan::Input& input = *trainer_->input();
  try {
    return input.next(tower, point);
  } catch (const plan::Interrupted&) {
    input.stop();
    throw base::Error(interrupt_.exit(), base::Diagnostic{input.describe(), "ended by a signal",
                                                          "a data point", "run the command again"});
  }
}

void Run::report_batch(plan::Input& input, PlanReport& report) {
  runtime::Point point;
  std::vector<abi::InputSpec> signature;
  if (trainer_->towers()) signature = input.signature();
  input.start({});
  const broch_status status = take_point(0, point);
  input.stop();
  if (status != BROCH_OK) return;
  if (!signature.empty()) report.layers = layers_of(*backend_, point, *trainer_->towers(), input);
  for (size_t i = 0; i < point.size(); ++i) {
    const std::string name = point.name(i)          ? point.name(i)
                             : i < signature.size() ? signature[i].name
                                                    : std::to_string(i);
    report.batch.emplace_back(name, shape_of(point.tensor(i)));
    if (i == 0 && point.tensor(i).ndim > 0) report.batch_per_tower = point.tensor(i).shape[0];
  }
}

std::vector<PlanReport::CallbackLine> Run::callback_lines() {
  std::vector<PlanReport::CallbackLine> lines;
  for (const auto& slot : trainer_->callbacks().slots())
    lines.push_back(
        {slot->name(), slot->instance() ? slot->instance()->component_id() : "host", ""});
  for (const manifest::Component* component : setup_.callbacks())
    for (PlanReport::CallbackLine& line : lines)
      if (line.component == component->use && line.run_on.empty()) {
        line.run_on = instances_->runs_everywhere(*component) ? "all" : "chief";
        break;
      }
  for (PlanReport::CallbackLine& line : lines)
    if (line.run_on.empty()) line.run_on = "all";
  return lines;
}

std::vector<std::pair<std::string, double>> Run::evaluate(const std::string& checkpoint) {
  RestoreOptions options;
  options.quiet = options.complete = true;
  checkpoints_->restore(checkpoint, options);
  start_services();
  std::vector<abi::Instance*> evaluating;
  for (abi::Instance* instance : instances_->all()) {
    const plugins::Component* component = setup_.catalog().look_up(instance->component_id());
    if (component && component->evaluates) evaluating.push_back(instance);
  }
  // Includes inference runners inside other callbacks, such as one that triggers them periodically:
  // here, all of them run once. One that evaluates itself runs those inside of it.
  if (evaluating.empty()) refuse_without_evaluation(setup_.catalog());
  for (abi::Instance* instance : evaluating) {
    const bool is_inside = std::ranges::any_of(evaluating, [&](const abi::Instance* outer) {
      return outer != instance && abi::contains(*outer, *instance);
    });
    if (is_inside) continue;
    if (abi::Callback::make(*instance).trigger() == BROCH_CANCELLED)
      throw base::Error(interrupt_.exit(),
                        base::Diagnostic{instance->label(), "ended by a signal",
                                         "a whole round of inference", "run the command again"});
  }
  std::vector<std::pair<std::string, double>> metrics;
  for (const std::string& name : trainer_->monitors().names())
    metrics.emplace_back(name, trainer_->monitors().latest(name)->value);
  return metrics;
}

}  // namespace broch::session
