// tower_runner.cpp: decides when a tower is recorded, replayed or run eagerly.
#include "replay/tower_runner.hpp"

#include <chrono>
#include <mutex>
#include <set>

#include "base/error.hpp"
#include "base/log.hpp"
#include "eager_step.hpp"
#include "program_cache.hpp"
#include "step_outputs.hpp"
#include "tower/kernel_tape.hpp"
#include "verifier.hpp"

namespace broch::replay {
namespace {

const std::string kStaysEager = "eager: ";  // a decision in a checkpoint

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

bool is_on_gpu(const Tower& tower) { return tower.spec().device.type != BROCH_DL_CPU; }

// Whether a replay gives other bits than the eager step.
bool decides_bits(const Tower& tower) {
  return tower.context().level == Level::fast && tower.context().execution != Execution::eager &&
         !is_on_gpu(tower);
}

void refuse_if_asked_to_record(const Tower& tower, const std::string& why) {
  if (tower.context().execution == Execution::recorded)
    throw base::Error(base::Exit::training,
                      {.where = tower.describe(),
                       .found = why,
                       .expected = "a tower that can be recorded, as runtime.execution asks",
                       .hint = "set runtime.execution to \"auto\""});
}

}  // namespace

TowerRunner::TowerRunner(Tower& tower, RunnerBuffers buffers)
    : tower_(tower),
      eager_(std::make_unique<EagerStep>(tower)),
      programs_(std::make_unique<ProgramCache>(tower, std::move(buffers))),
      verifier_(std::make_unique<Verifier>(tower, *eager_, programs_->workspace())) {
  if (tower.context().execution == Execution::eager) {
    stays_eager_ = true;
    why_eager_ = "runtime.execution";
  } else if (const std::string problem = backend().recording_problem(); !problem.empty()) {
    stay_eager(problem);
  } else if (is_on_gpu(tower)) {
    stays_eager_ = true;
    why_eager_ = "only towers on the CPU are recorded";
    refuse_if_asked_to_record(tower, why_eager_ + ", not on " + to_string(tower.spec().device));
  }
}

TowerRunner::~TowerRunner() = default;

void TowerRunner::stay_eager(const std::string& why) {
  stays_eager_ = true;
  why_eager_ = why;
  programs_->clear();
  refuse_if_asked_to_record(tower_, why);
  if (!backend().is_null()) warn_of_eager_steps(tower_.describe() + ": stays eager: ", why);
}

std::string TowerRunner::state() const {
  if (stays_eager_) return "eager: " + why_eager_;
  return programs_->empty() ? "recorded at its first data point" : "recorded";
}

bool TowerRunner::decided() const {
  const CompiledStep* const compiled = programs_->last_compiled();
  return stays_eager_ || (compiled && compiled->verified);
}

const RecordedProgram* TowerRunner::program() const {
  const RecordedStep* const recorded = programs_->last();
  return recorded ? recorded->program.get() : nullptr;
}

Executable* TowerRunner::executable() const {
  const CompiledStep* const compiled = programs_->last_compiled();
  return compiled ? compiled->executable.get() : nullptr;
}

double TowerRunner::record_milliseconds() const {
  const RecordedStep* const recorded = programs_->last();
  return recorded ? recorded->milliseconds : 0;
}

std::string TowerRunner::decision() const {
  if (!decides_bits(tower_)) return "";
  return stays_eager_ ? kStaysEager + why_eager_ : programs_->history();
}

void TowerRunner::take_over(const std::string& decision) {
  if (!decides_bits(tower_)) return;
  if (decision.starts_with(kStaysEager))
    stay_eager(decision.substr(kStaysEager.size()));
  else
    programs_->take_over(decision);
}

void TowerRunner::release() { eager_->release(); }

// Whether the program that ran last can serve this request, too.
bool TowerRunner::is_ready(const StepRequest& request) const {
  const CompiledStep* const compiled = programs_->last_compiled();
  return compiled && compiled->verified && !compiled->trial->compares_again() && !audits() &&
         compiled->wanted == request.wanted && programs_->last_fits(request);
}

bool TowerRunner::replays_alone(StepRequest& request) {
  if (stays_eager_ || !tower_.context().variables->sealed()) return false;
  tower_.bind(request.inputs);
  return is_ready(request) && !executable()->info().calls_host_code;
}

const StepResult& TowerRunner::run(StepRequest& request, const KeepsUpdate& keeps) {
  // Until the store is sealed, variables may still be moved to buffers of an optimizer.
  if (stays_eager_ || !tower_.context().variables->sealed()) return eager_->run(request, keeps);
  tower_.bind(request.inputs);
  RecordedStep* const recorded = programs_->use(request);
  return recorded ? run_recorded(*recorded, request, keeps) : run_new(request, keeps);
}

const StepResult& TowerRunner::run_new(StepRequest& request, const KeepsUpdate& keeps) {
  auto recorded = std::make_unique<RecordedStep>(RecordingKey(backend(), request));
  if (!programs_->takes_new_shape(recorded->hash)) return eager_->run(request, keeps);
  return record(std::move(recorded), request, keeps);
}

const StepResult& TowerRunner::run_recorded(RecordedStep& recorded, StepRequest& request,
                                            const KeepsUpdate& keeps) {
  CompiledStep* const found = compiled_for(request.wanted, keeps);
  if (!found) return eager_->run(request, keeps);
  CompiledStep& compiled = *found;
  count_run(compiled);
  if (!compiled.verified || audits()) return compare(recorded, compiled, request, keeps);
  return compiled.replay(tower_, request.inputs);
}

bool TowerRunner::audits() const { return tower_.context().execution == Execution::audit; }

// At some of its runs a program is compared once more, also if this is the first after a resume.
void TowerRunner::count_run(CompiledStep& compiled) const {
  if (!audits() && compiled.trial->compares_again()) {
    compiled.trial->begin_again();
    compiled.verified = false;
  }
  ++compiled.trial->runs;
}

// The step may be computed more than once, here and in record, and another thread may train
// meanwhile.
const StepResult& TowerRunner::compare(RecordedStep& recorded, CompiledStep& compiled,
                                       StepRequest& request, const KeepsUpdate& keeps) {
  const KernelTape tape;
  const VariableWrites::Pause pause(tower_.context().variables->writes());
  if (!compiled.verified) return verify(recorded, compiled, request, keeps, pause);
  verifier_->audit(recorded, compiled, request, pause);
  return compiled.replay(tower_, request.inputs);
}

const StepResult& TowerRunner::record(std::unique_ptr<RecordedStep> recorded, StepRequest& request,
                                      const KeepsUpdate& keeps) {
  const KernelTape tape;
  const VariableWrites::Pause pause(tower_.context().variables->writes());
  const auto start = std::chrono::steady_clock::now();
  recorded->data = hash_of(backend(), request.inputs);
  recorded->input_bytes = recorded->key.bytes();
  auto [program, refusal] = eager_->record(request);
  if (pause.broken()) return eager_->settle(request.wanted, keeps);  // the next step is recorded
  if (!program) {
    stay_eager(refusal);
    return eager_->settle(request.wanted, keeps);
  }
  recorded->program = std::move(program);
  recorded->shape = shape_of(eager_->result());
  eager_->drop_unwanted(request.wanted);
  recorded->milliseconds = milliseconds_since(start);
  return begin_trial(programs_->add(std::move(recorded)), request, keeps, pause);
}

// Compiles before the variables change. If one was wrongly taken for a constant, comparing shows
// it.
const StepResult& TowerRunner::begin_trial(RecordedStep& recorded, StepRequest& request,
                                           const KeepsUpdate& keeps,
                                           const VariableWrites::Pause& pause) {
  CompiledStep* const compiled = compiled_for(request.wanted, keeps);
  if (!compiled) return eager_->settle(request.wanted, keeps);
  count_run(*compiled);
  // The result of a step must not depend on whether it was the first after a resume.
  if (compiled->is_fast()) return verify(recorded, *compiled, request, keeps, pause);
  ++compiled->trial->tries;  // counts this step, in which the program was made
  return eager_->settle(request.wanted, keeps);
}

const StepResult& TowerRunner::verify(RecordedStep& recorded, CompiledStep& compiled,
                                      StepRequest& request, const KeepsUpdate& keeps,
                                      const VariableWrites::Pause& pause) {
  const std::string mistake = verifier_->verify(recorded, compiled, request, pause);
  if (!mistake.empty()) {
    stay_eager("its program computes something else than the eager step: " + mistake);
    return eager_->settle(request.wanted, keeps);
  }
  const StepResult& eager = eager_->settle(request.wanted, keeps);
  return compiled.is_fast() && !pause.broken() ? compiled.result : eager;
}

// Returns nullptr if the program cannot be compiled; the tower then stays eager.
CompiledStep* TowerRunner::compiled_for(const Wanted& wanted, const KeepsUpdate& keeps) {
  try {
    return &programs_->compiled_for(wanted, keeps);
  } catch (const base::Error& error) {
    stay_eager(std::string("its program cannot be compiled: ") + error.what());
    return nullptr;
  }
}

}  // namespace broch::replay
