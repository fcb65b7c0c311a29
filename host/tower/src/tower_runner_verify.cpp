// tower_runner_verify.cpp: checks that a program computes what the eager step computes.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "kernel_tape.hpp"
#include "recording.hpp"
#include "step_outputs.hpp"

namespace broch::tower {
namespace {

constexpr int kMaxTries = 8;             // within which other data and a near result must come
constexpr double kFastTolerance = 1e-3;  // relative to the largest element
// Relative to the norm of all gradients. A difference that comes from rounding occurs at some data
// points only and varies in size; a mistake shows at all of them.
constexpr double kGradientTolerance = 0.05, kNearTolerance = 0.005;
constexpr double kOneTolerance = 0.25;  // relative to the norm of a single gradient
// A root mean square that rounding alone can explain, in networks whose values are of order one.
// The cost of a network that fits its data perfectly is a difference of such values.
constexpr double kRounding = 1e-6;

bool is_rounding(double apart, int64_t elements) {
  return apart <= kRounding * kRounding * static_cast<double>(elements);
}

}  // namespace

// Returns "" or the first difference as text.
std::string TowerRunner::difference(const Recorded& recording, const Compiled& compiled,
                                    const std::vector<Tensor>& expected, double tolerance) const {
  const StepOutputs layout(recording.shape);
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const size_t number = compiled.outputs[i];
    const Tensor& found = compiled.executable->output(i);
    if (!found && !expected[i]) continue;
    const std::string what = backend().difference(expected[i], found, tolerance);
    if (what.empty()) continue;
    if (tolerance > 0 && number < layout.gradients && is_rounding_of(expected[i], found)) continue;
    return output_name(recording.shape, number) + ": " + what;
  }
  return KernelTape::current()->difference();
}

// Whether two values differ by no more than the rounding error of larger ones.
bool TowerRunner::is_rounding_of(const Tensor& expected, const Tensor& found) const {
  if (!expected || !found) return false;
  const TensorInfo info = backend().info(expected), other = backend().info(found);
  const bool floating = info.dtype >= BROCH_FLOAT32 && info.dtype <= BROCH_BFLOAT16;
  return floating && info.dtype == other.dtype && info.shape == other.shape &&
         is_rounding(backend().distance(expected, found).apart, info.shape.elements());
}

// The distance of all gradients together from the eager step's, relative to their norm; -1 if
// anything else differs. At zero, rounding decides whether a rectifier lets a gradient through, so
// single elements may differ by percents although both steps are right.
double TowerRunner::gradient_distance(const Recorded& recording, const Compiled& compiled,
                                      const std::vector<Tensor>& expected) const {
  const StepOutputs layout(recording.shape);
  double apart = 0, length = 0;
  std::vector<Backend::Distance> distances;
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const Tensor& found = compiled.executable->output(i);
    if (!found || !expected[i]) continue;
    if (compiled.outputs[i] < layout.gradients) {
      if (!backend().difference(expected[i], found, kFastTolerance).empty() &&
          !is_rounding_of(expected[i], found))
        return -1;
      continue;
    }
    const Backend::Distance distance = backend().distance(expected[i], found);
    distances.push_back(distance);
    apart += distance.apart;
    length += distance.length;
  }
  // No single gradient may be far off either, unless it is negligible.
  const auto is_wrong = [&](const Backend::Distance& one) {
    return one.apart > kOneTolerance * kOneTolerance * one.length &&
           one.apart > kFastTolerance * kFastTolerance * length;
  };
  if (std::ranges::any_of(distances, is_wrong)) return -1;
  return std::isfinite(apart) && length > 0 ? std::sqrt(apart / length) : -1;
}

// Whether the gradients consist of rounding errors only, so that their distance means nothing.
bool TowerRunner::has_learnt(const Recorded& recording, const Compiled& compiled,
                             const std::vector<Tensor>& expected) const {
  const StepOutputs layout(recording.shape);
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const Tensor& found = compiled.executable->output(i);
    if ((!found && !expected[i]) || is_rounding_of(expected[i], found)) continue;
    if (compiled.outputs[i] >= layout.gradients ||
        !backend().difference(expected[i], found, kFastTolerance).empty())
      return false;
  }
  return true;
}

// Computes the step eagerly and returns the outputs that the program has, too.
std::vector<Tensor> TowerRunner::eager_outputs(const Compiled& compiled,
                                               const StepRequest& request) {
  workspace_.forget();
  RunInputs inputs = request.inputs;
  compute(inputs, request.gradients);
  std::vector<Tensor> wanted;
  {
    const std::vector<Tensor> all = outputs_of(result_);
    for (const uint32_t output : compiled.outputs) wanted.push_back(all[output]);
  }
  drop_unwanted(compiled.wanted);
  return wanted;
}

// Runs the program on poisoned memory, which reveals values it fails to write. Returns "" or why
// the run failed.
std::string TowerRunner::failure(Compiled& compiled, const RunInputs& inputs) {
  try {
    compiled.executable->poison();
    execute(compiled, inputs);
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

// Equal for equal programs, also in another process.
std::string TowerRunner::name_of(const Compiled& compiled) {
  std::ostringstream name;
  name << std::hex << base::hash64(compiled.executable->text());
  return name.str();
}

// Computes the request eagerly and by the program. Returns "" or how the program differs.
std::string TowerRunner::mistake(const Recorded& recording, Compiled& compiled,
                                 const StepRequest& request) {
  const bool fast = compiled.executable->info().level == Level::fast;
  const std::vector<Tensor> expected = eager_outputs(compiled, request);
  std::string found = failure(compiled, request.inputs);
  if (!found.empty()) return found;
  found = difference(recording, compiled, expected, fast ? kFastTolerance : 0);
  if (found.empty()) {
    compiled.trial->near = true;
    return "";
  }
  return fast ? more_than_rounding(recording, compiled, expected, found)
              : more_than_nondeterminism(recording, compiled, request, expected, found);
}
// If two eager steps on the same data differ as well, compares within a tolerance instead.
std::string TowerRunner::more_than_nondeterminism(const Recorded& recording,
                                                  const Compiled& compiled,
                                                  const StepRequest& request,
                                                  const std::vector<Tensor>& expected,
                                                  const std::string& found) {
  const std::vector<Tensor> again = eager_outputs(compiled, request);
  bool repeats = true;
  for (size_t i = 0; i < again.size(); ++i)
    repeats &= !again[i] || backend().difference(expected[i], again[i], 0).empty();
  if (repeats) return found;
  const std::string beyond = difference(recording, compiled, again, kFastTolerance);
  compiled.trial->near |= beyond.empty();
  if (beyond.empty())
    base::info(tower_.describe() +
               ": two eager steps on the same data differ; the program is compared within a "
               "tolerance");
  return beyond;
}

// Returns `found`, or "" if rounding can explain the difference in the gradients.
std::string TowerRunner::more_than_rounding(const Recorded& recording, Compiled& compiled,
                                            const std::vector<Tensor>& expected,
                                            const std::string& found) {
  Trial& trial = *compiled.trial;
  const double distance = gradient_distance(recording, compiled, expected);
  if (distance > 0 && distance < kGradientTolerance) {
    trial.near |= distance < kNearTolerance;
    if (distance >= kNearTolerance)
      base::info(tower_.describe() + ": sensitive to rounding: its gradients are " +
                 base::general(100 * distance, 2) + " % off the eager step's (" + found + ")");
    return "";
  }
  const bool is_late = trial.runs > kMaxTries;
  if (is_late && has_learnt(recording, compiled, expected)) {
    trial.near = true;
    return "";
  }
  if (!trial.verified) return found;
  base::info(tower_.describe() + ": continues with its program, although " + found);
  return "";
}

const StepResult& TowerRunner::verify(Recorded& recording, Compiled& compiled, StepRequest& request,
                                      const KeepsUpdate& keeps) {
  Trial& trial = *compiled.trial;
  const bool is_other_data = hash_of(backend(), request.inputs) != trial.data;
  const bool is_later = ++trial.tries > 1, is_last = trial.tries >= kMaxTries;
  std::string found = mistake(recording, compiled, request);
  if (found.empty() && is_last && !trial.near && !trial.verified)
    found = "its gradients are never as near as rounding brings them";
  if (!found.empty()) {
    stay_eager("its program computes something else than the eager step: " + found);
    return settled(request.wanted, keeps);
  }
  trial.verified |= trial.near && ((is_other_data && is_later) || is_last);
  compiled.verified = trial.verified;
  if (compiled.verified && !std::exchange(recording.reported, true))
    log_recorded(recording, compiled);
  settled(request.wanted, keeps);
  return compiled.executable->info().level == Level::fast ? compiled.result : result_;
}

// Records the step again and returns its first line that differs from the old recording, or "".
std::string TowerRunner::changed_operator(const Recorded& recording, const StepRequest& request) {
  const std::unique_ptr<Recorder> recorder = backend().record();
  const Recording here(*recorder);
  name_variables(*recorder);
  RunInputs inputs = request.inputs;
  compute(inputs, request.gradients);
  const std::unique_ptr<RecordedProgram> now =
      recorder->finish(outputs_of(result_), output_names(result_, request.gradients));
  if (!now) return "; now " + recorder->refusal();
  std::istringstream before(recording.program->text()), after(now->text());
  std::string was, is;
  while (std::getline(before, was) && std::getline(after, is))
    if (was != is) return "; it was recorded as " + was + " and is now " + is;
  return "";
}

// Compares several times early on, then every 1,000 steps.
void TowerRunner::audit(Recorded& recording, Compiled& compiled, const StepRequest& request) {
  const uint64_t runs = recording.runs;
  if (runs != 2 && runs != 16 && runs != 128 && runs % 1000 != 0) return;
  const std::vector<Tensor> expected = eager_outputs(compiled, request);
  compiled.executable->poison();
  execute(compiled, request.inputs);
  const bool fast = compiled.executable->info().level == Level::fast;
  std::string found = difference(recording, compiled, expected, fast ? kFastTolerance : 0);
  if (!found.empty() && fast) {
    const double distance = gradient_distance(recording, compiled, expected);
    if (distance > 0 && distance < kGradientTolerance) found.clear();
  }
  if (!found.empty()) found += changed_operator(recording, request);
  release();
  if (found.empty()) return;
  throw base::Error(
      base::Exit::training,
      {.where = "audit of " + tower_.describe() + " at its run " + std::to_string(runs),
       .found = found,
       .expected = "what the eager step computes",
       .hint = "let nothing but the arguments decide what the tower function computes, "
               "or set runtime.execution to \"eager\""});
}

}  // namespace broch::tower
