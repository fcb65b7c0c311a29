// runner.cpp: keeps programs by the shapes of the inputs, and executables that no thread is using.
#include "graph/runner.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/log.hpp"
#include "evaluate.hpp"
#include "runtime/stoppable.hpp"

namespace broch::graph {
namespace {

using runtime::Backend;
using Stop = const std::atomic<bool>*;
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

struct Memory {
  std::byte* first = nullptr;  // nullptr: the elements do not lie in order, without gaps
  size_t bytes = 0;            // of all elements, without gaps
};

bool is_dense(const broch_dl_tensor& view) {
  int64_t expected = 1;
  for (int32_t d = view.ndim; d-- > 0;) {
    if (view.shape[d] != 1 && view.strides && view.strides[d] != expected) return false;
    expected *= view.shape[d];
  }
  return true;
}

// A compiled program, and where its inputs and outputs lie.
struct Ready {
  struct Place {
    Tensor tensor{};  // of an input; undefined: the program does not use it
    Memory memory{};
  };
  std::vector<Place> inputs;
  std::vector<Memory> outputs;
  std::unique_ptr<Executable> executable;
  runtime::Stoppable* stoppable = nullptr;  // the executable, if it can be stopped

  void stop_when(Stop stop) const {
    if (stoppable) stoppable->stop_when(stop);
  }
};
using ReadyPtr = std::unique_ptr<Ready>;

struct Program {
  std::vector<int64_t> sizes;
  std::vector<runtime::Shape> outputs;                 // their shapes
  std::unique_ptr<runtime::RecordedProgram> recorded;  // nullptr: it stays eager
  std::mutex mutex;
  std::vector<ReadyPtr> idle;
  uint64_t last_use = 0;
};
using ProgramPtr = std::shared_ptr<Program>;

// One that no other thread uses; afterwards it is idle again, also when a run failed.
class Lease {
 public:
  Lease(ProgramPtr program, ReadyPtr ready)
      : program_(std::move(program)), ready_(std::move(ready)) {}
  ~Lease() {
    const std::lock_guard lock(program_->mutex);
    try {
      program_->idle.push_back(std::move(ready_));
    } catch (const std::bad_alloc&) {  // then it is made again
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  Ready& operator*() const { return *ready_; }
  Ready* operator->() const { return ready_.get(); }

 private:
  ProgramPtr program_;
  ReadyPtr ready_;
};

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

  std::vector<Tensor> run(std::span<const Tensor> inputs, Stop stop = nullptr) {
    std::vector<runtime::TensorInfo> infos;
    for (const Tensor& input : inputs) infos.push_back(backend_.info(input));
    const std::vector<int64_t> sizes = graph_.sizes_for(infos);
    ProgramPtr program = find(sizes);
    if (!program) return first_run(inputs, sizes, stop);
    if (!program->recorded) return eager(inputs, sizes, stop);
    const Lease ready(program, take(*program));
    return run_on(*ready, inputs, stop);
  }

  void run(std::span<const runtime::TensorInfo> inputs, const void* const* data, Results& results) {
    const Stop stop = results.stop();
    const std::vector<int64_t> sizes = graph_.sizes_for(inputs);
    runtime::throw_if_stopped(stop);
    ProgramPtr program = find(sizes);
    if (!program || !program->recorded) {
      run_slowly(program ? program : make(sizes), inputs, data, results);
      return;
    }
    std::vector<void*> places = places_in(results, *program);
    const Lease ready(program, take(*program));
    runtime::throw_if_stopped(stop);
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      const Ready::Place& place = ready->inputs[i];
      if (!place.tensor) continue;
      if (place.memory.bytes) std::memcpy(place.memory.first, data[i], place.memory.bytes);
      ready->executable->set(i, place.tensor);
    }
    ready->stop_when(stop);
    ready->executable->run(calls_++);
    for (size_t i = 0; i < places.size(); ++i) {
      const Memory& memory = ready->outputs[i];
      if (!places[i] || !memory.bytes) continue;
      if (memory.first)
        std::memcpy(places[i], memory.first, memory.bytes);
      else
        backend_.copy_out(ready->executable->output(i), {}, places[i], memory.bytes);
    }
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

  ProgramPtr make(const std::vector<int64_t>& sizes) const {
    auto program = std::make_shared<Program>();
    program->sizes = sizes;
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      runtime::Shape& shape = program->outputs.emplace_back();
      for (const Number& size : graph_.type_of_output(i).shape)
        shape.dims[shape.rank++] = size.value(sizes);
    }
    return program;
  }

  std::vector<void*> places_in(Results& results, const Program& program) const {
    std::vector<void*> places(program.outputs.size());
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = results.place(i, graph_.type_of_output(i).dtype, program.outputs[i]);
    return places;
  }

  // The first run with these sizes, and all runs of a model that stays eager.
  void run_slowly(const ProgramPtr& program, std::span<const runtime::TensorInfo> inputs,
                  const void* const* data, Results& results) {
    const std::vector<void*> places = places_in(results, *program);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) tensors.push_back(tensor_of(inputs[i], data[i]));
    const std::vector<Tensor> outputs = run(tensors, results.stop());
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i])
        backend_.copy_out(outputs[i], {}, places[i], bytes_of_output(i, program->outputs[i]));
  }

  Tensor tensor_of(const runtime::TensorInfo& info, const void* data) const {
    if (info.shape.elements() == 0) return backend_.zeros(info.dtype, info.shape, {});
    // Elements may lie anywhere, and the backend takes only those that are aligned.
    std::vector<std::byte> aligned(size_t(info.shape.elements()) * runtime::dtype_size(info.dtype));
    std::memcpy(aligned.data(), data, aligned.size());
    std::array<int64_t, BROCH_RANK_MAX> shape = info.shape.dims;
    broch_dl_tensor view{};
    view.data = aligned.data();
    view.device = {BROCH_DL_CPU, 0};
    view.ndim = int32_t(info.shape.rank);
    view.shape = shape.data();
    view.dtype = runtime::to_dl(info.dtype);
    return backend_.copy_in(view, {});
  }

  size_t bytes_of_output(size_t output, const runtime::Shape& shape) const {
    return size_t(shape.elements()) * runtime::dtype_size(graph_.type_of_output(output).dtype);
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

  std::vector<Tensor> eager(std::span<const Tensor> inputs, std::span<const int64_t> sizes,
                            Stop stop) {
    CallDraws draws(calls_++);
    const auto guard = backend_.enter(false, &draws);
    return copies_of(evaluator_.run(values_of(inputs), sizes, stop));
  }

  // Computes eagerly, and records meanwhile.
  std::vector<Tensor> first_run(std::span<const Tensor> inputs, const std::vector<int64_t>& sizes,
                                Stop stop) {
    ProgramPtr program = make(sizes);
    if (options_.eager || !backend_.recording_problem().empty()) {
      add(program);
      return eager(inputs, sizes, stop);
    }
    std::vector<Tensor> outputs = recorded(*program, inputs, stop);
    if (program->recorded) outputs = checked(*program, inputs, std::move(outputs), stop);
    add(std::move(program));
    return outputs;
  }

  std::vector<Tensor> recorded(Program& program, std::span<const Tensor> inputs, Stop stop) {
    CallDraws draws(calls_++);
    const auto guard = backend_.enter(false, &draws);
    const auto recorder = backend_.record();
    const runtime::Recording recording(*recorder);
    for (size_t i = 0; i < weights_.size(); ++i) recorder->variable(graph_.weights[i], weights_[i]);
    std::vector<Tensor> slots;
    for (size_t i = 0; i < inputs.size(); ++i)
      slots.push_back(recorder->input(uint32_t(i), inputs[i]));
    const std::vector<Tensor> outputs = evaluator_.run(values_of(slots), program.sizes, stop);
    std::vector<std::string> names;
    for (const Output& output : graph_.outputs) names.push_back(output.name);
    program.recorded = recorder->finish(outputs, names);
    if (!program.recorded) tell("the model stays eager: " + recorder->refusal());
    return copies_of(outputs);
  }

  // A program that gives other numbers than its operators is not used. Returns the results of what
  // is used, so that the first run has the bits of later ones.
  std::vector<Tensor> checked(Program& program, std::span<const Tensor> inputs,
                              std::vector<Tensor> expected, Stop stop) {
    ReadyPtr ready = take(program);
    std::vector<Tensor> outputs = run_on(*ready, inputs, stop);
    const double tolerance =
        ready->executable->info().level == runtime::Level::fast ? kTolerance : 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string difference = backend_.difference(expected[i], outputs[i], tolerance);
      if (difference.empty()) continue;
      tell("the model stays eager: output '" + graph_.outputs[i].name +
           "' of its program differs: " + difference);
      program.recorded.reset();
      return expected;
    }
    program.idle.push_back(std::move(ready));
    return outputs;
  }

  void tell(const std::string& what) const {
    if (options_.tell)
      options_.tell(what);
    else
      base::warning(what);
  }

  ReadyPtr take(Program& program) {
    {
      const std::lock_guard lock(program.mutex);
      if (!program.idle.empty()) {
        ReadyPtr ready = std::move(program.idle.back());
        program.idle.pop_back();
        return ready;
      }
    }
    return compiled(program);
  }

  // With memory for its inputs, into which those in plain memory are copied.
  ReadyPtr compiled(const Program& program) {
    auto ready = std::make_unique<Ready>();
    runtime::CompileOptions options;
    for (uint32_t i = 0; i < graph_.outputs.size(); ++i) options.outputs.push_back(i);
    options.level = options_.level;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const Type& type = graph_.type_of_input(i);
      runtime::Shape shape;
      for (const Number& size : type.shape) shape.dims[shape.rank++] = size.value(program.sizes);
      options.inputs.push_back(backend_.zeros(type.dtype, shape, {}));
    }
    ready->executable = program.recorded->compile(options);
    ready->stoppable = dynamic_cast<runtime::Stoppable*>(ready->executable.get());
    for (uint32_t i = 0; i < graph_.inputs.size(); ++i) {
      Ready::Place& place = ready->inputs.emplace_back();
      if (!ready->executable->uses(i)) continue;
      place.tensor = options.inputs[i];
      place.memory = memory_of(place.tensor);
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      ready->outputs.push_back(memory_of(ready->executable->output(i)));
    return ready;
  }

  Memory memory_of(const Tensor& tensor) const {
    const runtime::TensorInfo info = backend_.info(tensor);
    Memory memory;
    memory.bytes = size_t(info.shape.elements()) * runtime::dtype_size(info.dtype);
    try {
      const broch_dl_tensor view = backend_.view(tensor);
      if (is_dense(view)) memory.first = static_cast<std::byte*>(view.data) + view.byte_offset;
    } catch (const base::Error&) {  // conjugated or negated lazily
    }
    return memory;
  }

  std::vector<Tensor> run_on(Ready& ready, std::span<const Tensor> inputs, Stop stop) {
    for (uint32_t i = 0; i < inputs.size(); ++i)
      if (ready.inputs[i].tensor) ready.executable->set(i, inputs[i]);
    ready.stop_when(stop);
    ready.executable->run(calls_++);
    std::vector<Tensor> outputs;
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      outputs.push_back(backend_.copy(ready.executable->output(i), {}));
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
void Runner::run(std::span<const runtime::TensorInfo> inputs, const void* const* data,
                 Results& results) {
  programs_->run(inputs, data, results);
}
std::string Runner::text() const { return programs_->text(); }

}  // namespace broch::graph
