// evaluate.cpp: the values of a graph, computed eagerly.
#include "evaluate.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/stoppable.hpp"

namespace broch::graph {
namespace {

using runtime::RawValue;
using runtime::Tensor;
using Kind = Argument::Kind;

// An argument in the form of the interface. What it points to lies here.
class RawArgument {
 public:
  RawArgument(const Argument& argument, const std::vector<Tensor>& values,
              std::span<const int64_t> sizes) {
    for (const Number& number : argument.integers) integers_.push_back(number.value(sizes));
    for (const int value : argument.values)
      tensors_.push_back(value < 0 ? 0 : reinterpret_cast<uint64_t>(values[size_t(value)].impl()));
    fill(argument);
  }
  RawArgument(const RawArgument&) = delete;
  RawArgument(RawArgument&&) = default;
  const RawValue& raw() const { return raw_; }

 private:
  void fill(const Argument& argument) {
    switch (argument.kind) {
      case Kind::none:
        return;
      case Kind::value:
        raw_.tag = BROCH_TAG_TENSOR;
        raw_.u.tensor = tensors_[0];
        return;
      case Kind::values:
        raw_.tag = BROCH_TAG_TENSORS;
        raw_.len = uint32_t(tensors_.size());
        raw_.u.tensors = tensors_.data();
        return;
      case Kind::integer:
      case Kind::boolean:
      case Kind::dtype:
        raw_.tag = argument.kind == Kind::integer   ? BROCH_TAG_INT
                   : argument.kind == Kind::boolean ? BROCH_TAG_BOOL
                                                    : BROCH_TAG_DTYPE;
        raw_.u.i64 = integers_[0];
        return;
      case Kind::integers:
        raw_.tag = BROCH_TAG_INTS;
        raw_.len = uint32_t(integers_.size());
        raw_.u.i64s = integers_.data();
        return;
      case Kind::booleans:
        booleans_.assign(integers_.begin(), integers_.end());
        raw_.tag = BROCH_TAG_BOOLS;
        raw_.len = uint32_t(booleans_.size());
        raw_.u.bools = booleans_.data();
        return;
      case Kind::floating:
        raw_.tag = BROCH_TAG_DOUBLE;
        raw_.u.f64 = argument.floats[0];
        return;
      case Kind::floats:
        raw_.tag = BROCH_TAG_DOUBLES;
        raw_.len = uint32_t(argument.floats.size());
        raw_.u.f64s = argument.floats.data();
        return;
      case Kind::text:
        raw_.tag = BROCH_TAG_STR;
        raw_.len = uint32_t(argument.text.size());
        raw_.u.str = argument.text.c_str();
        return;
    }
  }

  RawValue raw_{};
  std::vector<int64_t> integers_;
  std::vector<broch_tensor> tensors_;
  std::vector<uint8_t> booleans_;
};

}  // namespace

Evaluator::Evaluator(runtime::Backend& backend, const Graph& graph)
    : backend_(backend), graph_(graph), last_uses_(graph.nodes.size()) {
  std::vector<std::string> missing;
  for (const std::string& schema : graph.operators) try {
      operators_.push_back(backend.resolve(schema));
    } catch (const base::Error& error) {
      missing.emplace_back(error.what());
    }
  if (!missing.empty())
    base::fail(base::Exit::plugin, "operators of the model",
               std::to_string(missing.size()) + " that this LibTorch does not have", "all of them",
               base::join(missing, "\n  "));
  std::vector<bool> is_used(graph.types.size());
  for (const Output& output : graph.outputs) is_used[size_t(output.value)] = true;
  for (size_t n = graph.nodes.size(); n-- > 0;)
    for (const Argument& argument : graph.nodes[n].arguments)
      for (const int value : argument.values)
        if (value >= 0 && !is_used[size_t(value)]) {
          is_used[size_t(value)] = true;
          last_uses_[n].push_back(value);
        }
}

std::vector<Tensor> Evaluator::run(std::vector<Tensor> values, std::span<const int64_t> sizes,
                                   const std::atomic<bool>* stop) const {
  const runtime::Counting* const counting = &backend_.counting();
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    runtime::throw_if_stopped(stop);
    std::vector<RawArgument> arguments;
    std::vector<RawValue> raw;
    for (const Argument& argument : node.arguments)
      raw.push_back(arguments.emplace_back(argument, values, sizes).raw());
    std::vector<RawValue> results(node.results.size());
    uint32_t count = 0;
    try {
      count = backend_.call(operators_[node.op], raw.data(), uint32_t(raw.size()), results.data(),
                            uint32_t(results.size()));
    } catch (const base::Error& error) {
      const std::string sources = sources_of(node);
      if (sources.empty()) throw;
      throw base::Error(error.exit(), std::string(error.what()) + "\n  it reads " + sources);
    }
    for (size_t i = 0; i < node.results.size(); ++i) {
      const bool is_tensor = i < count && results[i].tag == BROCH_TAG_TENSOR;
      Tensor result(is_tensor ? reinterpret_cast<void*>(results[i].u.tensor) : nullptr, counting);
      if (node.results[i] >= 0) values.push_back(std::move(result));
    }
    for (const int value : last_uses_[n]) values[size_t(value)] = {};
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    outputs.push_back(values[size_t(graph_.outputs[i].value)]);
    check_output(i, outputs.back(), sizes);
  }
  return outputs;
}

std::string Evaluator::sources_of(const Node& node) const {
  std::vector<std::string> read;
  const size_t inputs = graph_.inputs.size(), weights = graph_.weights.size();
  for (const Argument& argument : node.arguments)
    for (const int value : argument.values) {
      if (value < 0 || size_t(value) >= inputs + weights) continue;
      const auto place = size_t(value);
      read.push_back(place < inputs ? "input " + base::quoted(graph_.inputs[place])
                                    : "weight " + base::quoted(graph_.weights[place - inputs]));
    }
  return base::join(read, " and ");
}

void Evaluator::check_output(size_t output, const Tensor& value,
                             std::span<const int64_t> sizes) const {
  const Type& type = graph_.type_of_output(output);
  const runtime::Shape shape = shape_of(type, sizes);
  const runtime::TensorInfo info = value ? backend_.info(value) : runtime::TensorInfo{};
  if (value && info.dtype == type.dtype && info.shape == shape) return;
  base::fail(base::Exit::training, "output " + base::quoted(graph_.outputs[output].name),
             value ? runtime::type_text(info.dtype, info.shape) : "no tensor",
             runtime::type_text(type.dtype, shape) + ", as the model says", "export it again");
}

}  // namespace broch::graph
