// runner.cpp: the first run with some sizes is eager and recorded; later ones run a program.
#include "graph/runner.hpp"

#include <cstring>

#include "base/log.hpp"
#include "evaluate.hpp"
#include "pieces.hpp"
#include "pool.hpp"

namespace broch::graph {
namespace {

using runtime::Backend;
using runtime::Tensor;

// How far a program may be from the operators that it stands for, in parts of the largest number.
constexpr double kTolerance = 1e-3;

// Inference may draw random numbers, for example for noise: others in each call.
class CallDraws final : public runtime::Draws {
 public:
  explicit CallDraws(uint64_t call) : call_(call) {}
  runtime::DrawKey next(std::string_view) override { return {place_++, call_}; }
  runtime::Device device() const override { return {}; }

 private:
  uint64_t place_ = 0, call_;
};

// A tensor with these elements, row-major without gaps.
Tensor tensor_of(Backend& backend, const runtime::TensorInfo& info, const void* data) {
  if (info.shape.elements() == 0) return backend.zeros(info.dtype, info.shape, {});
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
  return backend.copy_in(view, {});
}

}  // namespace

class Runner::Work {
 public:
  Work(Backend& backend, const Graph& graph, std::vector<Tensor> weights,
       const RunnerOptions& options)
      : backend_(backend),
        graph_(graph),
        evaluator_(backend, graph),
        weights_(std::move(weights)),
        options_(options),
        pieces_(graph, options.threads),
        pool_(options.most_shapes) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs, std::optional<uint64_t> call,
                          Stop stop = nullptr) {
    std::vector<runtime::TensorInfo> infos;
    for (const Tensor& input : inputs) infos.push_back(backend_.info(input));
    const std::vector<int64_t> sizes = graph_.sizes_for(infos);
    const ProgramPtr program = pool_.find(sizes);
    if (!program) return first_run(inputs, sizes, call, stop);
    if (!program->recorded()) return eager(inputs, sizes, number(call), stop);
    return Program::Lease(*program)->run(inputs, number(call), stop);
  }

  void run(std::span<const runtime::TensorInfo> inputs, const void* const* data, Results& results) {
    const std::vector<int64_t> sizes = graph_.sizes_for(inputs);
    if (const int64_t examples = pieces_.examples(sizes))
      run_in_pieces(examples, sizes, inputs, data, results);
    else
      run_at_once(sizes, inputs, data, results);
  }

  std::string text() const { return pool_.text(graph_.symbols); }

 private:
  // Each piece is a run of its own, on a part of the memory of inputs and outputs.
  void run_in_pieces(int64_t examples, const std::vector<int64_t>& sizes,
                     std::span<const runtime::TensorInfo> inputs, const void* const* data,
                     Results& results) {
    PieceOfResults outputs(graph_, sizes, results);
    PieceOfInputs part(inputs, data);
    for (int64_t first = 0; first < part.batch(); first += examples) {
      part.choose(first, std::min(examples, part.batch() - first));
      outputs.begin_at(first);
      run_at_once(graph_.sizes_for(part.infos()), part.infos(), part.data(), outputs);
    }
  }

  void run_at_once(const std::vector<int64_t>& sizes, std::span<const runtime::TensorInfo> inputs,
                   const void* const* data, Results& results) {
    const Stop stop = results.stop();
    runtime::throw_if_stopped(stop);
    const ProgramPtr program = pool_.find(sizes);
    if (!program || !program->recorded()) {
      run_slowly(program ? *program : *make(sizes), inputs, data, results);
      return;
    }
    const std::vector<void*> places = places_in(results, *program);
    const Program::Lease compiled(*program);
    runtime::throw_if_stopped(stop);
    compiled->run(data, places, calls_++, stop);
  }

  ProgramPtr make(const std::vector<int64_t>& sizes) const {
    return std::make_shared<Program>(backend_, graph_, sizes, options_.level);
  }

  std::vector<void*> places_in(Results& results, const Program& program) const {
    std::vector<void*> places(program.outputs().size());
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = results.place(i, graph_.type_of_output(i).dtype, program.outputs()[i]);
    return places;
  }

  // The first run with these sizes, and all runs of a model that stays eager.
  void run_slowly(const Program& program, std::span<const runtime::TensorInfo> inputs,
                  const void* const* data, Results& results) {
    const std::vector<void*> places = places_in(results, program);
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i)
      tensors.push_back(tensor_of(backend_, inputs[i], data[i]));
    const std::vector<Tensor> outputs = run(tensors, std::nullopt, results.stop());
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i])
        backend_.copy_out(outputs[i], {}, places[i], bytes_of_output(i, program.outputs()[i]));
  }

  size_t bytes_of_output(size_t output, const runtime::Shape& shape) const {
    return size_t(shape.elements()) * runtime::dtype_size(graph_.type_of_output(output).dtype);
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

  uint64_t number(std::optional<uint64_t> call) { return call ? *call : calls_++; }

  std::vector<Tensor> eager(std::span<const Tensor> inputs, std::span<const int64_t> sizes,
                            uint64_t call, Stop stop) {
    CallDraws draws(call);
    const auto guard = backend_.enter(/*gradients=*/false, &draws);
    return copies_of(evaluator_.run(values_of(inputs), sizes, stop));
  }

  // Computes eagerly, and records meanwhile.
  std::vector<Tensor> first_run(std::span<const Tensor> inputs, const std::vector<int64_t>& sizes,
                                std::optional<uint64_t> call, Stop stop) {
    const ProgramPtr program = make(sizes);
    const uint64_t n = number(call);  // both computations draw the same numbers
    std::vector<Tensor> outputs;
    if (options_.eager || !backend_.recording_problem().empty()) {
      outputs = eager(inputs, sizes, n, stop);
    } else {
      outputs = recorded(*program, inputs, n, stop);
      if (program->recorded()) outputs = checked(*program, inputs, std::move(outputs), n, stop);
    }
    pool_.add(program);
    return outputs;
  }

  std::vector<Tensor> recorded(Program& program, std::span<const Tensor> inputs, uint64_t call,
                               Stop stop) {
    CallDraws draws(call);
    const auto guard = backend_.enter(/*gradients=*/false, &draws);
    const auto recorder = backend_.record();
    const runtime::Recording recording(*recorder);
    for (size_t i = 0; i < weights_.size(); ++i) {
      recorder->variable(graph_.weights[i], weights_[i]);
      recorder->constant(weights_[i]);  // what follows from weights alone is computed once
    }
    std::vector<Tensor> slots;
    for (size_t i = 0; i < inputs.size(); ++i)
      slots.push_back(recorder->input(uint32_t(i), inputs[i]));
    const std::vector<Tensor> outputs = evaluator_.run(values_of(slots), program.sizes(), stop);
    std::vector<std::string> names;
    for (const Output& output : graph_.outputs) names.push_back(output.name);
    program.record(recorder->finish(outputs, names));
    if (!program.recorded()) tell("the model stays eager: " + recorder->refusal());
    return copies_of(outputs);
  }

  // A program that gives other numbers than its operators is not used. Returns the results of what
  // is used, so that the first run has the bits of later ones.
  std::vector<Tensor> checked(Program& program, std::span<const Tensor> inputs,
                              std::vector<Tensor> expected, uint64_t call, Stop stop) {
    std::vector<Tensor> outputs;
    double tolerance = 0;
    {
      const Program::Lease compiled(program);
      outputs = compiled->run(inputs, call, stop);
      if (compiled->level() == runtime::Level::fast) tolerance = kTolerance;
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string difference = backend_.difference(expected[i], outputs[i], tolerance);
      if (difference.empty()) continue;
      tell("the model stays eager: output '" + graph_.outputs[i].name +
           "' of its program differs: " + difference);
      program.record(nullptr);
      return expected;
    }
    return outputs;
  }

  void tell(const std::string& what) const {
    if (options_.tell)
      options_.tell(what);
    else
      base::warning(what);
  }

  Backend& backend_;
  const Graph& graph_;
  const Evaluator evaluator_;
  const std::vector<Tensor> weights_;
  const RunnerOptions options_;
  const Pieces pieces_;
  std::atomic<uint64_t> calls_{0};
  Pool pool_;
};

Runner::Runner(Backend& backend, const Graph& graph, std::vector<Tensor> weights,
               const RunnerOptions& options)
    : work_(std::make_unique<Work>(backend, graph, std::move(weights), options)) {}
Runner::~Runner() = default;

std::vector<Tensor> Runner::run(std::span<const Tensor> inputs, std::optional<uint64_t> call) {
  return work_->run(inputs, call);
}
void Runner::run(std::span<const runtime::TensorInfo> inputs, const void* const* data,
                 Results& results) {
  work_->run(inputs, data, results);
}
std::string Runner::text() const { return work_->text(); }

}  // namespace broch::graph
