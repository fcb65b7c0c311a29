// tower_runner.cpp: decides when a tower is recorded, replayed or run eagerly.
#include "tower/tower_runner.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "counters.hpp"
#include "kernel_tape.hpp"
#include "recording.hpp"
#include "shape_history.hpp"
#include "step_outputs.hpp"

namespace broch::tower {
namespace {

constexpr size_t kMaxCompiled = 8;  // per recording

// Keywords of a decision in a checkpoint.
const std::string kStaysEager = "eager: ", kShapes = "shapes:", kTrials = "comparisons:";

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

// Warns, since nobody asked for eager steps, but once per process for each reason. For further
// towers with the same reason it only logs.
void warn_of_eager_steps(const std::string& where, const std::string& why) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (!warned.insert(why).second) return base::info(where + why);
  base::warning(where + why +
                "\n  hint: compute with operators on inputs, variables and hyper-parameters alone, "
                "host code in a kernel (ext/kernel.h); \"execution\": \"eager\" in \"runtime\" "
                "says that eager steps are meant");
}

// Whether a replay gives other bits than the eager step.
bool decides_bits(const RunContext& context) {
  return context.level == Level::fast && context.execution != Execution::eager;
}

}  // namespace

void Wanted::publish(uint32_t index) {
  const auto place = std::ranges::lower_bound(published, index);
  if (place == published.end() || *place != index) published.insert(place, index);
}

void StepRequest::clear() {
  inputs.clear();
  gradients.clear();
  wanted.published.clear();
  wanted.summaries = wanted.moving = wanted.hooked = wanted.evaluation = false;
}

TowerRunner::TowerRunner(Tower& tower, RunnerBuffers buffers)
    : tower_(tower),
      buffers_(std::move(buffers)),
      shapes_(std::make_unique<ShapeHistory>()),
      trials_(std::make_unique<Trials>()) {
  const RunContext& context = tower.context();
  if (context.execution == Execution::eager) {
    never_ = true;
    why_ = "runtime.execution";
  } else if (const std::string problem = backend().recording_problem(); !problem.empty()) {
    stay_eager(problem);
  }
}

TowerRunner::~TowerRunner() = default;

void TowerRunner::stay_eager(const std::string& why) {
  never_ = true;
  why_ = why;
  recordings_.clear();
  last_ = nullptr;
  last_compiled_ = nullptr;
  if (tower_.context().execution == Execution::recorded)
    throw base::Error(base::Exit::training,
                      {.where = tower_.describe(),
                       .found = why,
                       .expected = "a tower that can be recorded, as runtime.execution asks",
                       .hint = "set runtime.execution to \"auto\""});
  if (!backend().is_null()) warn_of_eager_steps(tower_.describe() + ": stays eager: ", why);
}

std::string TowerRunner::state() const {
  if (never_) return "eager: " + why_;
  return recordings_.empty() ? "recorded at its first data point" : "recorded";
}

const RecordedProgram* TowerRunner::program() const {
  return last_ ? last_->program.get() : nullptr;
}
Executable* TowerRunner::executable() const {
  return last_compiled_ ? last_compiled_->executable.get() : nullptr;
}
double TowerRunner::record_milliseconds() const { return last_ ? last_->milliseconds : 0; }
bool TowerRunner::decided() const { return never_ || (last_compiled_ && last_compiled_->verified); }

std::string TowerRunner::decision() const {
  if (!decides_bits(tower_.context())) return "";
  if (never_) return kStaysEager + why_;
  if (shapes_->runs() == 0) return "";
  std::ostringstream text;
  text << kShapes << ' ';
  shapes_->save(text);
  text << ' ' << kTrials << ' ';
  trials_->save(text);
  return text.str();
}

void TowerRunner::take_over(const std::string& decision) {
  if (!decides_bits(tower_.context())) return;
  if (decision.starts_with(kStaysEager)) {
    stay_eager(decision.substr(kStaysEager.size()));
    return;
  }
  std::istringstream words(decision);
  std::string word;
  if (!(words >> word) || word != kShapes || !shapes_->load(words)) return;
  if (words >> word && word == kTrials) trials_->load(words);
}

void TowerRunner::release() {
  if (!std::exchange(holds_graph_, false)) return;
  result_.tower.clear();
  for (auto& list : result_.gradients) list.clear();
}

// Whether the program that ran last can serve this request, too.
bool TowerRunner::is_ready(const StepRequest& request) const {
  return last_ && last_compiled_ && last_compiled_->verified &&
         !last_compiled_->trial->compares_again() &&
         tower_.context().execution != Execution::audit &&
         last_compiled_->wanted == request.wanted && last_->key.fits(backend(), request);
}

bool TowerRunner::replays_alone(StepRequest& request) {
  if (never_ || !tower_.context().variables->sealed()) return false;
  tower_.bind(request.inputs);
  return is_ready(request) && !last_compiled_->executable->info().calls_host_code;
}

const StepResult& TowerRunner::run(StepRequest& request, const KeepsUpdate& keeps) {
  // Until the store is sealed, variables may still be moved to buffers of an optimizer.
  if (never_ || !tower_.context().variables->sealed()) return eager(request, keeps);
  tower_.bind(request.inputs);
  Recorded* const recording = recording_for(request);
  std::optional<KernelTape> tape;  // set if the step may be computed more than once
  if (!recording) {
    auto made = std::make_unique<Recorded>(RecordingKey(backend(), request));
    if (!takes_new_shape(made->hash)) return eager(request, keeps);
    tape.emplace();
    return record(std::move(made), request, keeps);
  }
  shapes_->meet(recording->hash);
  ++recording->runs;
  Compiled* const found = compiled_for(*recording, request.wanted, keeps);
  if (!found) return eager(request, keeps);
  Compiled& compiled = *found;
  const bool audits = tower_.context().execution == Execution::audit;
  if (!audits && compiled.trial->compares_again()) {
    compiled.trial->begin_again();
    compiled.verified = false;
  }
  ++compiled.trial->runs;
  if (!compiled.verified || audits) tape.emplace();
  if (!compiled.verified) return verify(*recording, compiled, request, keeps);
  if (audits) audit(*recording, compiled, request);
  return replay(compiled, request);
}

// --- recording

TowerRunner::Recorded* TowerRunner::recording_for(const StepRequest& request) {
  if (last_ && last_->key.fits(backend(), request)) return last_;
  for (const auto& recording : recordings_)
    if (recording->key.fits(backend(), request)) {
      last_compiled_ = nullptr;
      return last_ = recording.get();
    }
  return nullptr;
}

// Whether a step is recorded whose inputs have a shape without a recording.
bool TowerRunner::takes_new_shape(uint64_t key) {
  const bool was_open = shapes_->closed_because().empty();
  const bool records = shapes_->meet(key);
  if (was_open && !shapes_->closed_because().empty())
    base::warning(tower_.describe() + ": new shapes stay eager: " + shapes_->closed_because());
  return records;
}

const StepResult& TowerRunner::record(std::unique_ptr<Recorded> recording, StepRequest& request,
                                      const KeepsUpdate& keeps) {
  const auto start = std::chrono::steady_clock::now();
  recording->data = hash_of(backend(), request.inputs);
  recording->input_bytes = recording->key.bytes();
  std::string refusal;
  {
    const std::unique_ptr<Recorder> recorder = backend().record();
    const Recording here(*recorder);
    name_variables(*recorder);
    RunInputs inputs = request.inputs;
    compute(inputs, request.gradients);
    recording->program =
        recorder->finish(outputs_of(result_), output_names(result_, request.gradients));
    refusal = recorder->refusal();
  }
  if (!recording->program) {
    stay_eager(refusal);
    return settled(request.wanted, keeps);
  }
  recording->shape = shape_of(result_);
  drop_unwanted(request.wanted);
  recording->milliseconds = milliseconds_since(start);
  Recorded& kept = keep(std::move(recording));
  // Compile before the variables change. If one was wrongly taken for a constant, comparing shows
  // it.
  Compiled* const compiled = compiled_for(kept, request.wanted, keeps);
  if (compiled) ++compiled->trial->runs;
  // The result of a step must not depend on whether it was the first after a resume.
  if (compiled && compiled->executable->info().level == Level::fast)
    return verify(kept, *compiled, request, keeps);
  if (compiled) ++compiled->trial->tries;  // counts this step, in which the program was made
  return settled(request.wanted, keeps);
}

void TowerRunner::name_variables(Recorder& recorder) const {
  for (const auto& variable : tower_.context().variables->all())
    recorder.variable(variable->name, variable->value);
}

TowerRunner::Recorded& TowerRunner::keep(std::unique_ptr<Recorded> recording) {
  last_ = recordings_.emplace_back(std::move(recording)).get();
  last_compiled_ = nullptr;
  shapes_->keep(0);
  forget_least_used();
  return *last_;
}

void TowerRunner::forget_least_used() {
  while (const std::optional<uint64_t> gone = shapes_->forget())
    std::erase_if(recordings_, [&](const auto& recording) { return recording->hash == *gone; });
}

// Returns nullptr if the program cannot be compiled; the tower then stays eager.
TowerRunner::Compiled* TowerRunner::compiled_for(Recorded& recording, const Wanted& wanted,
                                                 const KeepsUpdate& keeps) {
  if (last_compiled_ && last_compiled_->wanted == wanted) return last_compiled_;
  for (size_t i = 0; i < recording.compiled.size(); ++i)
    if (recording.compiled[i]->wanted == wanted) {
      std::rotate(recording.compiled.begin() + static_cast<ptrdiff_t>(i),
                  recording.compiled.begin() + static_cast<ptrdiff_t>(i) + 1,
                  recording.compiled.end());  // the one used last is at the end
      return last_compiled_ = recording.compiled.back().get();
    }
  if (recording.compiled.size() == kMaxCompiled)
    recording.compiled.erase(recording.compiled.begin());
  try {
    recording.compiled.push_back(compile(recording, wanted, keeps));
  } catch (const base::Error& error) {
    stay_eager(std::string("its program cannot be compiled: ") + error.what());
    return nullptr;
  }
  shapes_->keep(recording.compiled.size() * recording.input_bytes);
  forget_least_used();
  return last_compiled_ = recording.compiled.back().get();
}

std::unique_ptr<TowerRunner::Compiled> TowerRunner::compile(const Recorded& recording,
                                                            const Wanted& wanted,
                                                            const KeepsUpdate& keeps) {
  auto compiled = std::make_unique<Compiled>();
  compiled->wanted = wanted;
  const StepResult& shape = recording.shape;
  const StepOutputs layout(shape);
  StepResult& result = compiled->result;
  result = shape;
  std::vector<Tensor*> targets;  // in the order of options.outputs
  CompileOptions options;
  const auto want = [&](size_t output, Tensor& target, const Tensor& place = {},
                        bool rows = false) {
    options.outputs.push_back(static_cast<uint32_t>(output));
    options.output_buffers.push_back(place);
    options.rows.push_back(rows);
    targets.push_back(&target);
  };
  options.inputs = buffers_.inputs;
  for (const uint32_t index : wanted.published)
    want(index, result.tower.published.value(index),
         index < buffers_.published.size() ? buffers_.published[index] : Tensor());
  result.tower.updates.clear();
  std::vector<size_t> kept;
  for (size_t i = 0; i < shape.tower.updates.size(); ++i)
    if (keeps(shape.tower, shape.tower.updates[i])) kept.push_back(i);
  for (const size_t i : kept) result.tower.updates.push_back(shape.tower.updates[i]);
  for (size_t i = 0; i < kept.size(); ++i)
    want(layout.updates + kept[i], result.tower.updates[i].value);
  if (wanted.summaries)
    for (size_t i = 0; i < result.tower.summaries.size(); ++i)
      want(layout.summaries + i, result.tower.summaries[i].tensor);
  if (wanted.moving)
    for (size_t i = 0; i < result.tower.moving.size(); ++i)
      want(layout.moving + i, result.tower.moving[i].tensor);
  size_t number = layout.gradients;
  for (size_t k = 0; k < result.gradients.size(); ++k) {
    const GradientRequest& request = *recording.key.gradients()[k];
    const size_t before = options.parts.size();
    for (size_t i = 0; i < result.gradients[k].size(); ++i, ++number) {
      want(number, result.gradients[k][i],
           i < request.buffers.size() ? request.buffers[i] : Tensor(),
           i < request.rows.size() && request.rows[i]);
      if (!request.sink) continue;
      for (size_t part = options.parts.size() - before; part <= request.parts[i]; ++part) {
        options.parts.emplace_back();
        compiled->notified.emplace_back(request.sink, part);
      }
      options.parts[before + request.parts[i]].push_back(static_cast<uint32_t>(number));
    }
  }
  options.level = tower_.context().level;
  options.without = tower_.context().without;
  options.workspace = &workspace_;
  compiled->executable = recording.program->compile(options);
  compiled->trial = &trials_->of(name_of(*compiled), recording.data);
  compiled->outputs = options.outputs;
  for (size_t i = 0; i < targets.size(); ++i) {
    *targets[i] = compiled->executable->output(i);
    if (layout.is_activation(options.outputs[i]) &&
        lies_in_variable(*targets[i], shape.tower.updates))
      compiled->in_variables.push_back({i, targets[i]});
  }
  return compiled;
}

// --- verifying and replaying

void TowerRunner::execute(Compiled& compiled, const RunInputs& inputs,
                          const Executable::Notify& notify) {
  KernelTape::begin_step();
  Executable& executable = *compiled.executable;
  uint32_t slot = 0;
  for (const Tensor& input : inputs.inputs) executable.set(slot++, input);
  for (const auto& [name, tensor] : inputs.feeds) executable.set(slot++, tensor);
  for (const Counter& counter : kCounters)
    if (executable.uses(counter.slot))
      executable.set(counter.slot, counter_tensor(tower_.context(), counter, tower_.spec().device));
  executable.run(inputs.hooked_run, notify);
  for (auto& [place, target] : compiled.in_variables)
    *target = backend().copy(executable.output(place), tower_.spec().device);
}

void TowerRunner::log_recorded(const Recorded& recording, const Compiled& compiled) const {
  const ExecutableInfo& info = compiled.executable->info();
  constexpr size_t kKib = 1024;
  base::info(tower_.describe() + ": recorded, " +
             base::counted(int64_t(recording.program->operators()), "operator") + " become " +
             base::counted(int64_t(info.calls), "call") + " (" + base::join(info.passes, ", ") +
             "), " + std::to_string(info.planned_bytes / kKib) + " KiB of memory for " +
             std::to_string(info.unplanned_bytes / kKib) + ", in " +
             base::general(recording.milliseconds, 3) + " ms");
}

const StepResult& TowerRunner::replay(Compiled& compiled, const StepRequest& request) {
  if (compiled.notified.empty()) {
    execute(compiled, request.inputs);
  } else {
    execute(compiled, request.inputs, [&](size_t part) {
      const auto& [sink, number] = compiled.notified[part];
      sink->ready(number);
    });
  }
  return compiled.result;
}

}  // namespace broch::tower
