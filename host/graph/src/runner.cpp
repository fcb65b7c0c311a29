// runner.cpp: keeps programs by the shapes of the inputs, and executables that no thread is using.
#include "graph/runner.hpp"

#include <algorithm>
#include <mutex>

#include "base/log.hpp"
#include "evaluate.hpp"

namespace broch::graph {
namespace {

using runtime::Backend;
using runtime::Executable;
using runtime::Tensor;

// How far a program may be from the operators that it stands for, in parts of the largest number.
constexpr double kTolerance = 1e-3;

// Inference may draw random numbers, for example for noise: others in each call.
class CallDraws final : public runtime::Draws {
 public:
  explicit CallDraws(uint64_t call) : call_(call) {}
  runtime::DrawKey next(std::string_view) override { return {place_++, call_}; }

 private:
  uint64_t place_ = 0, call_;
};

struct Program {
  std::vector<int64_t> sizes;
  std::unique_ptr<runtime::RecordedProgram> recorded;  // nullptr: it stays eager
  std::mutex mutex;
  std::vector<std::unique_ptr<Executable>> idle;
  uint64_t last_use = 0;
};
using ProgramPtr = std::shared_ptr<Program>;

}  // namespace

class Runner::Programs {
 public:
  Programs(Backend& backend, const Graph& graph, std::vector<Tensor> weights,
           const RunnerOptions& options)
      : backend_(backend),
        graph_(graph),
        evaluator_(backend, graph),
        weights_(std::move(weights)),
        options_(options) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs) {
    std::vector<runtime::TensorInfo> infos;
    for (const Tensor& input : inputs) infos.push_back(backend_.info(input));
    const std::vector<int64_t> sizes = graph_.sizes_for(infos);
    ProgramPtr program = find(sizes);
    if (!program) return first_run(inputs, sizes);
    if (!program->recorded) return eager(inputs, sizes);
    std::unique_ptr<Executable> executable = take(*program);
    std::vector<Tensor> outputs = run_on(*executable, inputs);
    const std::lock_guard lock(program->mutex);
    program->idle.push_back(std::move(executable));
    return outputs;
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const ProgramPtr& program : programs_) {
      for (size_t i = 0; i < program->sizes.size(); ++i)
        text += graph_.symbols[i] + " = " + std::to_string(program->sizes[i]) + "\n";
      if (program->recorded) text += program->recorded->text();
    }
    return text;
  }

 private:
  ProgramPtr find(const std::vector<int64_t>& sizes) {
    const std::lock_guard lock(mutex_);
    for (const ProgramPtr& program : programs_)
      if (program->sizes == sizes) {
        program->last_use = ++uses_;
        return program;
      }
    return nullptr;
  }

  void add(ProgramPtr program) {
    const std::lock_guard lock(mutex_);
    if (std::ranges::any_of(programs_,
                            [&](const auto& one) { return one->sizes == program->sizes; }))
      return;  // another thread was faster
    program->last_use = ++uses_;
    if (programs_.size() >= options_.most_shapes)
      programs_.erase(
          std::ranges::min_element(programs_, {}, [](auto& one) { return one->last_use; }));
    programs_.push_back(std::move(program));
  }

  std::vector<Tensor> values_of(std::span<const Tensor> inputs) const {
    std::vector<Tensor> values(inputs.begin(), inputs.end());
    values.insert(values.end(), weights_.begin(), weights_.end());
    return values;
  }
  std::vector<Tensor> copies_of(std::span<const Tensor> outputs) const {
    std::vector<Tensor> copies;
    for (const Tensor& output : outputs) copies.push_back(backend_.copy(output, {}));
    return copies;
  }

  std::vector<Tensor> eager(std::span<const Tensor> inputs, std::span<const int64_t> sizes) {
    CallDraws draws(calls_++);
    const auto guard = backend_.enter(false, &draws);
    return copies_of(evaluator_.run(values_of(inputs), sizes));
  }

  // Computes eagerly, and records meanwhile.
  std::vector<Tensor> first_run(std::span<const Tensor> inputs, const std::vector<int64_t>& sizes) {
    auto program = std::make_shared<Program>();
    program->sizes = sizes;
    if (options_.eager || !backend_.recording_problem().empty()) {
      add(program);
      return eager(inputs, sizes);
    }
    std::vector<Tensor> outputs = recorded(*program, inputs);
    if (program->recorded) check(*program, inputs, outputs);
    add(std::move(program));
    return outputs;
  }

  std::vector<Tensor> recorded(Program& program, std::span<const Tensor> inputs) {
    CallDraws draws(calls_++);
    const auto guard = backend_.enter(false, &draws);
    const auto recorder = backend_.record();
    const runtime::Recording recording(*recorder);
    for (size_t i = 0; i < weights_.size(); ++i) recorder->variable(graph_.weights[i], weights_[i]);
    std::vector<Tensor> slots;
    for (size_t i = 0; i < inputs.size(); ++i)
      slots.push_back(recorder->input(uint32_t(i), inputs[i]));
    const std::vector<Tensor> outputs = evaluator_.run(values_of(slots), program.sizes);
    std::vector<std::string> names;
    for (const Output& output : graph_.outputs) names.push_back(output.name);
    program.recorded = recorder->finish(outputs, names);
    if (!program.recorded) base::info("the model stays eager: " + recorder->refusal());
    return copies_of(outputs);
  }

  // A program that gives other numbers than its operators is not used.
  void check(Program& program, std::span<const Tensor> inputs, std::span<const Tensor> expected) {
    std::unique_ptr<Executable> executable = take(program);
    const std::vector<Tensor> outputs = run_on(*executable, inputs);
    const double tolerance = executable->info().level == runtime::Level::fast ? kTolerance : 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string difference = backend_.difference(expected[i], outputs[i], tolerance);
      if (difference.empty()) continue;
      base::warning("the model stays eager: output '" + graph_.outputs[i].name +
                    "' of its program differs: " + difference);
      program.recorded.reset();
      return;
    }
    program.idle.push_back(std::move(executable));
  }

  std::unique_ptr<Executable> take(Program& program) {
    {
      const std::lock_guard lock(program.mutex);
      if (!program.idle.empty()) {
        auto executable = std::move(program.idle.back());
        program.idle.pop_back();
        return executable;
      }
    }
    runtime::CompileOptions options;
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) options.outputs.push_back(i);
    options.level = options_.level;
    return program.recorded->compile(options);
  }

  std::vector<Tensor> run_on(Executable& executable, std::span<const Tensor> inputs) {
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (executable.uses(i)) executable.set(i, inputs[i]);
    executable.run(calls_++);
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      outputs.push_back(backend_.copy(executable.output(i), {}));
    return outputs;
  }

  Backend& backend_;
  const Graph& graph_;
  const Evaluator evaluator_;
  const std::vector<Tensor> weights_;
  const RunnerOptions options_;
  std::atomic<uint64_t> calls_{0};
  mutable std::mutex mutex_;
  std::vector<ProgramPtr> programs_;  // guarded by mutex_, like uses_
  uint64_t uses_ = 0;
};

Runner::Runner(Backend& backend, const Graph& graph, std::vector<Tensor> weights,
               const RunnerOptions& options)
    : programs_(std::make_unique<Programs>(backend, graph, std::move(weights), options)) {}
Runner::~Runner() = default;

std::vector<Tensor> Runner::run(std::span<const Tensor> inputs) { return programs_->run(inputs); }
std::string Runner::text() const { return programs_->text(); }

}  // namespace broch::graph
