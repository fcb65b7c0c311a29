// frame.cpp: when a tower is recorded, compared, replayed, and when it stays as it is.
#include "runtime/frame.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "counters.hpp"
#include "handles.hpp"
#include "kernel_tape.hpp"

namespace broch::runtime {
namespace {

constexpr size_t kMaxRecordings = 32;
constexpr size_t kMaxCompiled = 8;           // of one recording
constexpr int kMaxMisses = 8;                // new shapes in a row
constexpr int kMaxTries = 8;                 // to meet data that differ from those recorded
constexpr double kFastTolerance = 1e-3;      // of the largest element
constexpr double kGradientTolerance = 0.05;  // of the length of all gradients

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

uint64_t hash_of(Backend& backend, const Tensor& tensor, uint64_t seed) {
  const TensorInfo info = backend.info(tensor);
  std::string bytes(static_cast<size_t>(info.shape.elements()) * dtype_size(info.dtype), '\0');
  backend.copy_out(tensor, info.dtype, bytes.data(), bytes.size());
  return base::hash64(bytes, seed);
}

uint64_t hash_of(Backend& backend, const RunInputs& inputs) {
  uint64_t hash = 0;
  for (const Tensor& input : inputs.inputs) hash = hash_of(backend, input, hash);
  for (const auto& [name, tensor] : inputs.feeds) hash = hash_of(backend, tensor, hash);
  return hash;
}

// What decides which operators a tower calls.
struct Key {
  struct Of {
    broch_dtype dtype;
    Shape shape;
    bool operator==(const Of&) const = default;
  };
  std::vector<Of> inputs;
  std::vector<std::string> feeds;
  std::vector<const GradientRequest*> gradients;
  bool operator==(const Key&) const = default;
};

Key key_of(Backend& backend, const StepRequest& request) {
  Key key;
  const auto add = [&](const Tensor& tensor) {
    const TensorInfo info = backend.info(tensor);
    key.inputs.push_back({info.dtype, info.shape});
  };
  for (const Tensor& input : request.inputs.inputs) add(input);
  for (const auto& [name, tensor] : request.inputs.feeds) {
    key.feeds.push_back(name);
    add(tensor);
  }
  key.gradients = request.gradients;
  return key;
}

bool fits(Backend& backend, const Key& key, const StepRequest& request) {
  const RunInputs& inputs = request.inputs;
  if (key.gradients != request.gradients || key.feeds.size() != inputs.feeds.size() ||
      key.inputs.size() != inputs.inputs.size() + inputs.feeds.size())
    return false;
  auto next = key.inputs.begin();
  const auto same = [&](const Tensor& tensor) {
    const TensorInfo info = backend.info(tensor);
    const Key::Of& of = *next++;
    return of.dtype == info.dtype && of.shape == info.shape;
  };
  if (!std::ranges::all_of(inputs.inputs, same)) return false;
  auto name = key.feeds.begin();
  return std::ranges::all_of(
      inputs.feeds, [&](const auto& feed) { return feed.first == *name++ && same(feed.second); });
}

// The places of a result among a program's outputs.
struct Layout {
  size_t updates, summaries, moving, gradients, count;
  explicit Layout(const StepResult& result)
      : updates(result.tower.published.size()),
        summaries(updates + result.tower.updates.size()),
        moving(summaries + result.tower.summaries.size()),
        gradients(moving + result.tower.moving.size()),
        count(gradients) {
    for (const auto& list : result.gradients) count += list.size();
  }
};

std::vector<Tensor> outputs_of(const StepResult& result) {
  std::vector<Tensor> outputs;
  for (const Published::Entry& entry : result.tower.published) outputs.push_back(entry.second);
  for (const Update& update : result.tower.updates) outputs.push_back(update.value);
  for (const Summary& summary : result.tower.summaries) outputs.push_back(summary.tensor);
  for (const Moving& moving : result.tower.moving) outputs.push_back(moving.tensor);
  for (const auto& list : result.gradients) outputs.insert(outputs.end(), list.begin(), list.end());
  return outputs;
}

// The names and lists of a result, without its tensors.
StepResult shape_of(StepResult result) {
  result.tower.cost = {};
  result.tower.collections.clear();
  result.tower.leaves.clear();
  for (size_t i = 0; i < result.tower.published.size(); ++i) result.tower.published.value(i) = {};
  for (Update& update : result.tower.updates) update.value = {};
  for (Summary& summary : result.tower.summaries) summary.tensor = {};
  for (Moving& moving : result.tower.moving) moving.tensor = {};
  for (auto& list : result.gradients)
    for (Tensor& gradient : list) gradient = {};
  return result;
}

// What the number-th output is, for messages.
std::string name_of(const StepResult& result, const Layout& layout, size_t number) {
  const TowerResult& tower = result.tower;
  if (number < layout.updates) return base::quoted((tower.published.begin() + number)->first);
  if (number < layout.summaries)
    return "the update of variable " +
           base::quoted(tower.updates[number - layout.updates].variable->name);
  if (number < layout.moving)
    return "summary " + base::quoted(tower.summaries[number - layout.summaries].name);
  if (number < layout.gradients)
    return "moving summary " + base::quoted(tower.moving[number - layout.moving].name);
  return "gradient " + std::to_string(number - layout.gradients);
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

struct Frame::Compiled {
  Wanted wanted;
  std::vector<uint32_t> outputs;
  std::unique_ptr<Executable> executable;
  bool verified = false;
  int tries = 0;
  StepResult result;
  // Values that are a variable's own memory are copied after each run: what came out, and where the
  // copy goes.
  std::vector<std::pair<size_t, Tensor*>> in_variables;
};

struct Frame::Recorded {
  Key key;
  std::unique_ptr<RecordedProgram> program;
  StepResult shape;   // of a result: names, lists, tags; without tensors
  uint64_t data = 0;  // hash of the inputs it was recorded on
  double milliseconds = 0;
  bool told = false;
  uint64_t last_run = 0, runs = 0;
  std::vector<std::unique_ptr<Compiled>> compiled;
};

Frame::Frame(Tower& tower) : tower_(tower) {
  const TowerWorld& world = tower.world();
  if (world.execution == Execution::eager) {
    never_ = true;
    why_ = "runtime.execution";
  } else if (const std::string problem = backend().recording_problem(); !problem.empty()) {
    stay_eager(problem);
  }
}

Frame::~Frame() = default;

void Frame::stay_eager(const std::string& why) {
  never_ = true;
  why_ = why;
  recordings_.clear();
  last_ = nullptr;
  last_compiled_ = nullptr;
  if (tower_.world().execution == Execution::recorded)
    throw base::Error(base::Exit::training,
                      {.place = tower_.describe(),
                       .found = why,
                       .expected = "a tower that can be recorded, as runtime.execution asks",
                       .next = "set runtime.execution to \"auto\""});
  if (!backend().is_null()) base::info(tower_.describe() + ": stays eager: " + why);
}

std::string Frame::state() const {
  if (never_) return "eager: " + why_;
  return recordings_.empty() ? "recorded at its first data point" : "recorded";
}

const RecordedProgram* Frame::program() const { return last_ ? last_->program.get() : nullptr; }
Executable* Frame::executable() const {
  return last_compiled_ ? last_compiled_->executable.get() : nullptr;
}
double Frame::record_milliseconds() const { return last_ ? last_->milliseconds : 0; }
bool Frame::decided() const { return never_ || (last_compiled_ && last_compiled_->verified); }

void Frame::release() {
  if (!std::exchange(holds_graph_, false)) return;
  result_.tower.clear();
  for (auto& list : result_.gradients) list.clear();
}

const StepResult& Frame::run(StepRequest& request, const KeepsUpdate& keeps) {
  if (never_) return eager(request, keeps);
  tower_.bind(request.inputs);
  ++runs_;
  Recorded* const recording = recording_for(request);
  if (!recording && no_new_) return eager(request, keeps);
  std::optional<KernelTape> tape;  // where the step may be computed more than once
  if (!recording) {
    tape.emplace();
    return record(request, keeps);
  }
  recording->last_run = runs_;
  ++recording->runs;
  Compiled* const found = compiled_for(*recording, request.wanted, keeps);
  if (!found) return eager(request, keeps);
  Compiled& compiled = *found;
  const bool audits = tower_.world().execution == Execution::audit;
  if (!compiled.verified || audits) tape.emplace();
  if (!compiled.verified) return verify(*recording, compiled, request, keeps);
  if (audits) audit(*recording, compiled, request);
  return replay(compiled, request);
}

// --- eagerly

void Frame::compute(RunInputs& inputs, const std::vector<const GradientRequest*>& gradients) {
  release();
  KernelTape::begin_step();
  holds_graph_ = true;
  tower_.run(inputs, !gradients.empty(), result_.tower);
  result_.gradients.resize(gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) differentiate(*gradients[i], result_.gradients[i]);
}

const StepResult& Frame::settled(const Wanted& wanted, const KeepsUpdate& keeps) {
  TowerResult& tower = result_.tower;
  if (!tower.updates.empty()) {
    std::vector<Update> kept;  // what belongs is asked of the whole
    for (const Update& update : tower.updates)
      if (keeps(tower, update)) kept.push_back(update);
    std::swap(tower.updates, kept);
  }
  if (backend().is_null()) return result_;
  for (const uint32_t index : wanted.published) protect(tower.published.value(index));
  if (wanted.summaries)
    for (Summary& summary : tower.summaries) protect(summary.tensor);
  if (wanted.moving)
    for (Moving& moving : tower.moving) protect(moving.tensor);
  return result_;
}

const StepResult& Frame::eager(StepRequest& request, const KeepsUpdate& keeps) {
  compute(request.inputs, request.gradients);
  return settled(request.wanted, keeps);
}

Tensor Frame::cost_of(const GradientRequest& request) const {
  if (!request.cost) return result_.tower.cost;
  return result_.tower.published.find(*request.cost)->second;
}

void Frame::differentiate(const GradientRequest& request, std::vector<Tensor>& gradients) {
  const Tensor cost = cost_of(request);
  const auto& leaves = result_.tower.leaves;
  std::vector<Tensor> of;
  of.reserve(request.variables.size());
  for (size_t i = 0; i < request.variables.size(); ++i) {
    const Variable* variable = request.variables[i];
    const size_t hint = request.leaves[i];
    const auto found =
        hint < leaves.size() && leaves[hint].first == variable
            ? leaves.begin() + static_cast<ptrdiff_t>(hint)
            : std::ranges::find(leaves, variable, [](const auto& l) { return l.first; });
    if (found == leaves.end())
      throw base::Error(base::Exit::training,
                        {"variable '" + variable->name + "'", "not read by the tower in this step",
                         "the variables that it read when it was defined", ""});
    of.push_back(found->second);
  }
  {
    const auto guard = backend().enter(true, nullptr);
    gradients = backend().grad({&cost, 1}, of, {}, request.keep_graph, true);
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Variable& variable = *request.variables[i];
    if (gradients[i]) {
      if (request.keep_graph) gradients[i] = backend().detach(gradients[i]);
      continue;
    }
    gradients[i] = backend().zeros(variable.dtype, variable.shape, variable.device);
    if (!std::exchange(request.warned, true))
      base::warning(request.name + ": in this step the cost does not depend on " + variable.name +
                    ", as it did when the tower was defined; its gradient is zero");
  }
}

// Whether a value is memory of a variable that this run may write.
bool Frame::lies_in_variable(const Tensor& value, const std::vector<Update>& updates) const {
  if (!value || backend().is_null()) return false;
  const std::byte* const at = backend().first_byte(value);
  if (!at) return false;
  const auto holds = [&](const Variable* variable) {
    return memory_of(backend(), variable->value).holds(at);
  };
  return std::ranges::any_of(tower_.trainables(), holds) ||
         std::ranges::any_of(updates, holds, &Update::variable);
}

// Activations are those before the update.
void Frame::protect(Tensor& value) const {
  if (lies_in_variable(value, result_.tower.updates))
    value = backend().copy(value, tower_.spec().device);
}

// --- recording

Frame::Recorded* Frame::recording_for(const StepRequest& request) {
  if (last_ && fits(backend(), last_->key, request)) {
    misses_ = 0;
    return last_;
  }
  for (const auto& recording : recordings_)
    if (fits(backend(), recording->key, request)) {
      misses_ = 0;
      last_compiled_ = nullptr;
      return last_ = recording.get();
    }
  if (++misses_ > kMaxMisses && !std::exchange(no_new_, true))
    base::info(tower_.describe() + ": new shapes stay eager: " + std::to_string(kMaxMisses) +
               " in a row were different; pad or bucket the batches");
  return nullptr;
}

const StepResult& Frame::record(StepRequest& request, const KeepsUpdate& keeps) {
  const auto start = std::chrono::steady_clock::now();
  auto recording = std::make_unique<Recorded>();
  recording->key = key_of(backend(), request);
  recording->data = hash_of(backend(), request.inputs);
  std::string refusal;
  {
    const std::unique_ptr<Recorder> recorder = backend().record();
    const Recording here(*recorder);
    know_variables(*recorder);
    RunInputs inputs = request.inputs;
    compute(inputs, request.gradients);
    recording->program = recorder->finish(outputs_of(result_));
    refusal = recorder->refusal();
  }
  if (!recording->program) {
    stay_eager(refusal);
    return settled(request.wanted, keeps);
  }
  recording->shape = shape_of(result_);
  recording->milliseconds = milliseconds_since(start);
  Recorded& kept = keep(std::move(recording));
  // What a step computes must not depend on whether it was the first after a resume.
  if (tower_.world().level == Level::fast)
    if (Compiled* const compiled = compiled_for(kept, request.wanted, keeps))
      return verify(kept, *compiled, request, keeps);
  return settled(request.wanted, keeps);
}

void Frame::know_variables(Recorder& recorder) const {
  for (const auto& variable : tower_.world().variables->all())
    recorder.variable(variable->name, variable->value);
}

Frame::Recorded& Frame::keep(std::unique_ptr<Recorded> recording) {
  if (recordings_.size() == kMaxRecordings)
    recordings_.erase(
        std::ranges::min_element(recordings_, {}, [](const auto& one) { return one->last_run; }));
  recording->last_run = runs_;
  last_ = recordings_.emplace_back(std::move(recording)).get();
  last_compiled_ = nullptr;
  return *last_;
}

// nullptr: the program cannot be compiled, and the tower stays eager.
Frame::Compiled* Frame::compiled_for(Recorded& recording, const Wanted& wanted,
                                     const KeepsUpdate& keeps) {
  if (last_compiled_ && last_compiled_->wanted == wanted) return last_compiled_;
  for (size_t i = 0; i < recording.compiled.size(); ++i)
    if (recording.compiled[i]->wanted == wanted) {
      std::rotate(recording.compiled.begin() + static_cast<ptrdiff_t>(i),
                  recording.compiled.begin() + static_cast<ptrdiff_t>(i) + 1,
                  recording.compiled.end());  // the last is the one used last
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
  return last_compiled_ = recording.compiled.back().get();
}

std::unique_ptr<Frame::Compiled> Frame::compile(const Recorded& recording, const Wanted& wanted,
                                                const KeepsUpdate& keeps) const {
  auto compiled = std::make_unique<Compiled>();
  compiled->wanted = wanted;
  const StepResult& shape = recording.shape;
  const Layout layout(shape);
  StepResult& result = compiled->result;
  result = shape;
  std::vector<Tensor*> targets;  // by place in outputs
  CompileOptions options;
  const auto want = [&](size_t output, Tensor& target, const Tensor& place = {}) {
    options.outputs.push_back(static_cast<uint32_t>(output));
    options.places.push_back(place);
    targets.push_back(&target);
  };
  for (const uint32_t index : wanted.published) want(index, result.tower.published.value(index));
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
  for (size_t k = 0; k < result.gradients.size(); ++k)
    for (size_t i = 0; i < result.gradients[k].size(); ++i) {
      const std::vector<Tensor>& places = recording.key.gradients[k]->places;
      want(number++, result.gradients[k][i], i < places.size() ? places[i] : Tensor());
    }
  options.level = tower_.world().level;
  options.without = tower_.world().without;
  compiled->executable = recording.program->compile(options);
  compiled->outputs = options.outputs;
  for (size_t i = 0; i < targets.size(); ++i) {
    *targets[i] = compiled->executable->output(i);
    const size_t output = options.outputs[i];
    const bool is_activation =
        output < layout.updates || (output >= layout.summaries && output < layout.gradients);
    if (is_activation && lies_in_variable(*targets[i], shape.tower.updates))
      compiled->in_variables.push_back({i, targets[i]});
  }
  return compiled;
}

// --- comparing and replaying

void Frame::execute(Compiled& compiled, const RunInputs& inputs) {
  KernelTape::begin_step();
  Executable& executable = *compiled.executable;
  uint32_t slot = 0;
  for (const Tensor& input : inputs.inputs) executable.set(slot++, input);
  for (const auto& [name, tensor] : inputs.feeds) executable.set(slot++, tensor);
  for (const Counter& counter : kCounters)
    if (executable.uses(counter.slot))
      executable.set(counter.slot, counter_tensor(tower_.world(), counter, tower_.spec().device));
  executable.run(inputs.hooked_run);
  for (auto& [place, target] : compiled.in_variables)
    *target = backend().copy(executable.output(place), tower_.spec().device);
}

// "" or what is different, in words.
std::string Frame::difference(const Recorded& recording, const Compiled& compiled,
                              const std::vector<Tensor>& expected, double tolerance) const {
  const Layout layout(recording.shape);
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const size_t number = compiled.outputs[i];
    const Tensor& found = compiled.executable->output(i);
    if (!found && !expected[i]) continue;
    const std::string what = backend().difference(expected[i], found, tolerance);
    if (!what.empty()) return name_of(recording.shape, layout, number) + ": " + what;
  }
  return KernelTape::current()->difference();
}

// How far all gradients together are from the eager step's, relative to their length; -1 when
// something else differs, too. A rectifier that is at zero lets a gradient through or not for a
// last bit, so that element by element gradients may differ by percents where both steps are right.
double Frame::gradient_distance(const Recorded& recording, const Compiled& compiled,
                                const std::vector<Tensor>& expected) const {
  const Layout layout(recording.shape);
  double apart = 0, length = 0;
  for (size_t i = 0; i < compiled.outputs.size(); ++i) {
    const Tensor& found = compiled.executable->output(i);
    if (!found || !expected[i]) continue;
    if (compiled.outputs[i] < layout.gradients) {
      if (!backend().difference(expected[i], found, kFastTolerance).empty()) return -1;
      continue;
    }
    const Backend::Distance distance = backend().distance(expected[i], found);
    apart += distance.apart;
    length += distance.length;
  }
  return std::isfinite(apart) && length > 0 ? std::sqrt(apart / length) : -1;
}

// An eager step's values, those that the program computes.
std::vector<Tensor> Frame::eager_outputs(const Compiled& compiled, const StepRequest& request) {
  RunInputs inputs = request.inputs;
  compute(inputs, request.gradients);
  const std::vector<Tensor> all = outputs_of(result_);
  std::vector<Tensor> wanted;
  for (const uint32_t output : compiled.outputs) wanted.push_back(all[output]);
  return wanted;
}

const StepResult& Frame::verify(Recorded& recording, Compiled& compiled, StepRequest& request,
                                const KeepsUpdate& keeps) {
  const bool is_other_data = hash_of(backend(), request.inputs) != recording.data;
  const bool fast = tower_.world().level == Level::fast;
  const std::vector<Tensor> expected = eager_outputs(compiled, request);
  compiled.executable->poison();
  execute(compiled, request.inputs);
  std::string found = difference(recording, compiled, expected, fast ? kFastTolerance : 0);
  if (!found.empty() && !fast) {
    const std::vector<Tensor> again = eager_outputs(compiled, request);
    bool repeats = true;
    for (size_t i = 0; i < again.size(); ++i)
      repeats &= !again[i] || backend().difference(expected[i], again[i], 0).empty();
    if (!repeats) {
      found = difference(recording, compiled, again, kFastTolerance);
      if (found.empty())
        base::info(tower_.describe() +
                   ": two eager steps on the same data differ; the program is "
                   "compared within a tolerance");
    }
  }
  if (!found.empty() && fast) {
    const double distance = gradient_distance(recording, compiled, expected);
    if (distance > 0 && distance < kGradientTolerance) {
      base::info(tower_.describe() + ": sensitive to rounding: its gradients are " +
                 base::general(100 * distance, 2) + " % off the eager step's (" + found + ")");
      found.clear();
    }
  }
  if (!found.empty()) {
    stay_eager("its program computes something else than the eager step: " + found);
    return settled(request.wanted, keeps);
  }
  compiled.verified = is_other_data || ++compiled.tries >= kMaxTries;
  if (compiled.verified && !std::exchange(recording.told, true)) tell(recording, compiled);
  settled(request.wanted, keeps);
  return fast ? compiled.result : result_;
}

void Frame::tell(const Recorded& recording, const Compiled& compiled) const {
  const ExecutableInfo& info = compiled.executable->info();
  constexpr size_t kKib = 1024;
  base::info(tower_.describe() + ": recorded, " + std::to_string(recording.program->operators()) +
             " operators become " + std::to_string(info.calls) + " calls (" +
             base::join(info.passes, ", ") + "), " + std::to_string(info.planned_bytes / kKib) +
             " KiB of memory for " + std::to_string(info.unplanned_bytes / kKib) + ", in " +
             base::general(recording.milliseconds, 3) + " ms");
}

const StepResult& Frame::replay(Compiled& compiled, const StepRequest& request) {
  execute(compiled, request.inputs);
  return compiled.result;
}

// The first line in which a new recording differs from the old one, in words; "" when none does.
std::string Frame::changed_operator(const Recorded& recording, const StepRequest& request) {
  const std::unique_ptr<Recorder> recorder = backend().record();
  const Recording here(*recorder);
  know_variables(*recorder);
  RunInputs inputs = request.inputs;
  compute(inputs, request.gradients);
  const std::unique_ptr<RecordedProgram> now = recorder->finish(outputs_of(result_));
  if (!now) return "; now " + recorder->refusal();
  std::istringstream before(recording.program->text()), after(now->text());
  std::string was, is;
  while (std::getline(before, was) && std::getline(after, is))
    if (was != is) return "; it was recorded as " + was + " and is now " + is;
  return "";
}

// At runs 2, 16, 128 and every 1,000.
void Frame::audit(Recorded& recording, Compiled& compiled, const StepRequest& request) {
  const uint64_t runs = recording.runs;
  if (runs != 2 && runs != 16 && runs != 128 && runs % 1000 != 0) return;
  const std::vector<Tensor> expected = eager_outputs(compiled, request);
  compiled.executable->poison();
  execute(compiled, request.inputs);
  const bool fast = tower_.world().level == Level::fast;
  std::string found = difference(recording, compiled, expected, fast ? kFastTolerance : 0);
  if (!found.empty()) found += changed_operator(recording, request);
  release();
  if (found.empty()) return;
  throw base::Error(
      base::Exit::training,
      {.place = "audit of " + tower_.describe() + " at its run " + std::to_string(runs),
       .found = found,
       .expected = "what the eager step computes",
       .next = "let nothing but the arguments decide what the tower function computes, "
               "or set runtime.execution to \"eager\""});
}

}  // namespace broch::runtime
