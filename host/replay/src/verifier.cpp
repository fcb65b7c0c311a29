// verifier.cpp: computes a step in both ways, and decides whether a difference is a mistake.
#include "verifier.hpp"

#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "step_outputs.hpp"
#include "tower/nudged.hpp"

namespace broch::replay {
namespace {

// The last try of a trial. A program that was never near is refused then. One that was near, but
// was only tried with the data of its recording, is accepted.
constexpr int kMaxTries = 8;

// A program rounds at each operator, but only variables are nudged: up to so many times as far.
constexpr double kMoreRoundings = 3;

}  // namespace

Verifier::Verifier(Tower& tower, EagerStep& eager, Workspace& workspace)
    : tower_(tower),
      eager_(eager),
      workspace_(workspace),
      tolerances_(tower.context().bf16 && !tower.spec().operation ? kMixedTolerances
                                                                  : Tolerances{}) {}

// Computes the step eagerly. What the program has computed is looked up later.
Comparison Verifier::begin_comparison(const RecordedStep& recorded, const CompiledStep& compiled,
                                      const StepRequest& request) {
  return {backend(), recorded, compiled, eager_outputs(compiled, request), tolerances_};
}

double Verifier::tolerance_of(const CompiledStep& compiled) const {
  return compiled.is_fast() ? tolerances_.value : 0;
}

bool Verifier::is_tolerable(double gradient_distance) const {
  return gradient_distance > 0 && gradient_distance < tolerances_.gradient;
}

std::string Verifier::verify(RecordedStep& recorded, CompiledStep& compiled,
                             const StepRequest& request, const VariableWrites::Pause& pause) {
  Trial& trial = *compiled.trial;
  const Trial before = trial;
  const bool is_other_data = hash_of(backend(), request.inputs) != trial.data;
  ++trial.tries;
  const bool is_first = trial.tries == 1;
  const bool is_last = trial.tries >= kMaxTries;
  const std::string found = mistake(recorded, compiled, request);
  if (pause.broken()) {  // the variables were not the same in both
    trial = before;
    return "";
  }
  if (!found.empty()) return found;
  if (is_last && !trial.near && !trial.verified)
    return "its gradients are never as near as rounding brings them";
  trial.verified |= trial.near && ((is_other_data && !is_first) || is_last);
  compiled.verified = trial.verified;
  if (compiled.verified && !std::exchange(recorded.reported, true))
    log_verified(recorded, compiled);
  return "";
}

// Computes the request eagerly and by the program. Returns "" or how the program differs.
std::string Verifier::mistake(const RecordedStep& recorded, CompiledStep& compiled,
                              const StepRequest& request) {
  const Comparison comparison = begin_comparison(recorded, compiled, request);
  try {
    run_poisoned(compiled, request.inputs);
  } catch (const base::Error& error) {
    return error.what();
  }
  if (std::string found = Comparison::kernel_difference(); !found.empty()) return found;
  const std::string found = comparison.difference(tolerance_of(compiled));
  if (found.empty()) {
    compiled.trial->near = true;
    return "";
  }
  return compiled.is_fast() ? more_than_rounding(comparison, compiled, request, found)
                            : more_than_nondeterminism(comparison, compiled, request, found);
}

// If two eager steps on the same data differ as well, compares within a tolerance instead.
std::string Verifier::more_than_nondeterminism(const Comparison& comparison,
                                               const CompiledStep& compiled,
                                               const StepRequest& request,
                                               const std::string& found) {
  const std::vector<Tensor> again = eager_outputs(compiled, request);
  if (comparison.expects(again)) return found;
  const std::string beyond = comparison.with(again).difference(tolerances_.value);
  compiled.trial->near |= beyond.empty();
  if (beyond.empty())
    base::info(tower_.describe() +
               ": two eager steps on the same data differ; the program is compared within a "
               "tolerance");
  return beyond;
}

// Returns `found`, or "" if rounding can explain the difference in the gradients.
std::string Verifier::more_than_rounding(const Comparison& comparison, const CompiledStep& compiled,
                                         const StepRequest& request,
                                         const std::string& found) const {
  Trial& trial = *compiled.trial;
  const double distance = comparison.gradient_distance();
  if (is_tolerable(distance)) {
    trial.near |= distance < tolerances_.near;
    if (distance < tolerances_.near) return "";
    const double moved = moved_by_rounding(comparison, compiled, request);
    trial.near |= distance < kMoreRoundings * moved;
    base::info(tower_.describe() + ": sensitive to rounding: its gradients are " +
               base::general(100 * distance, 2) + " % off the eager step's, which move by " +
               base::general(100 * moved, 2) + " % if its variables are rounded (" + found + ")");
    return "";
  }
  const bool is_late = trial.runs > kMaxTries;
  if (is_late && comparison.has_learnt()) {
    trial.near = true;
    return "";
  }
  if (!trial.verified) return found;
  base::info(tower_.describe() + ": continues with its program, although " + found);
  return "";
}

// How far the gradients of the eager step are from those with variables that are rounded
// differently.
double Verifier::moved_by_rounding(const Comparison& comparison, const CompiledStep& compiled,
                                   const StepRequest& request) const {
  const tower::Nudged nudged(tolerances_.nudge);
  EagerStep eager(tower_);
  return comparison.gradient_distance_of(compute_outputs(eager, compiled, request));
}

// Computes the step eagerly and returns the outputs that the program has, too.
std::vector<Tensor> Verifier::compute_outputs(EagerStep& eager, const CompiledStep& compiled,
                                              const StepRequest& request) {
  RunInputs inputs = request.inputs;
  eager.compute(inputs, request.gradients);
  const std::vector<Tensor> all = outputs_of(eager.result());
  std::vector<Tensor> wanted;
  for (const uint32_t output : compiled.outputs) wanted.push_back(all[output]);
  return wanted;
}

std::vector<Tensor> Verifier::eager_outputs(const CompiledStep& compiled,
                                            const StepRequest& request) {
  workspace_.forget();
  const std::vector<Tensor> wanted = compute_outputs(eager_, compiled, request);
  eager_.drop_unwanted(compiled.wanted);
  return wanted;
}

// Poisoned memory reveals values that the program fails to write.
void Verifier::run_poisoned(CompiledStep& compiled, const RunInputs& inputs) const {
  compiled.executable->poison();
  compiled.run(tower_, inputs);
}

void Verifier::log_verified(const RecordedStep& recorded, const CompiledStep& compiled) const {
  const ExecutableInfo& info = compiled.executable->info();
  constexpr size_t kKib = 1024;
  base::info(tower_.describe() + ": recorded, " +
             base::counted(int64_t(recorded.program->operators()), "operator") + " become " +
             base::counted(int64_t(info.calls), "call") + " (" + base::join(info.passes, ", ") +
             "), " + std::to_string(info.planned_bytes / kKib) + " KiB of memory for " +
             std::to_string(info.unplanned_bytes / kKib) + ", in " +
             base::general(recorded.milliseconds, 3) + " ms");
}

// --- audit

void Verifier::audit(const RecordedStep& recorded, CompiledStep& compiled,
                     const StepRequest& request, const VariableWrites::Pause& pause) {
  const uint64_t runs = recorded.runs;
  if (runs != 2 && runs != 16 && runs != 128 && runs % 1000 != 0) return;
  const std::string found = audited_mistake(recorded, compiled, request);
  eager_.release();
  if (found.empty() || pause.broken()) return;
  throw base::Error(
      base::Exit::training,
      {.where = "audit of " + tower_.describe() + " at its run " + std::to_string(runs),
       .found = found,
       .expected = "what the eager step computes",
       .hint = "let nothing but the arguments decide what the tower function computes, "
               "or set runtime.execution to \"eager\""});
}

std::string Verifier::audited_mistake(const RecordedStep& recorded, CompiledStep& compiled,
                                      const StepRequest& request) {
  const Comparison comparison = begin_comparison(recorded, compiled, request);
  run_poisoned(compiled, request.inputs);
  const std::string found = comparison.difference(tolerance_of(compiled));
  if (found.empty()) return "";
  if (compiled.is_fast() && Comparison::kernel_difference().empty() &&
      is_tolerable(comparison.gradient_distance()))
    return "";
  return found + changed_operator(recorded, request);
}

// Records the step again and returns its first line that differs from the old recording, or "".
std::string Verifier::changed_operator(const RecordedStep& recorded, const StepRequest& request) {
  const EagerStep::Recorded now = eager_.record(request);
  if (!now.program) return "; now " + now.refusal;
  std::istringstream before(recorded.program->text()), after(now.program->text());
  std::string was, is;
  while (std::getline(before, was) && std::getline(after, is))
    if (was != is) return "; it was recorded as " + was + " and is now " + is;
  return "";
}

}  // namespace broch::replay
