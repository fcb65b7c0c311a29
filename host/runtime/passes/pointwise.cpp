// pointwise.cpp: elementwise operators on whole buffers, and runs of them in one pass.
#include "kernels/pointwise.hpp"

#include <algorithm>

#include "kernels/gemm.hpp"
#include "lower.hpp"

namespace broch::runtime {
namespace {

using kernels::PointwiseOp;

struct Elementwise {
  const char* name;
  PointwiseOp op;
  int operands;
};
constexpr Elementwise kElementwise[] = {
    {"aten::relu", PointwiseOp::relu, 1},       {"aten::add.Tensor", PointwiseOp::add, 2},
    {"aten::sub.Tensor", PointwiseOp::sub, 2},  {"aten::mul.Tensor", PointwiseOp::mul, 2},
    {"aten::div.Tensor", PointwiseOp::div, 2},  {"aten::neg", PointwiseOp::neg, 1},
    {"aten::add_.Tensor", PointwiseOp::add, 2}, {"aten::mul_.Tensor", PointwiseOp::mul, 2},
};

// One step over operands of the result's size; a 0-dim float operand counts for every element.
std::optional<kernels::PointwiseProgram> step_of(const Program& program, const Node& node,
                                                 std::vector<int>& inputs) {
  const auto known = std::ranges::find_if(
      kElementwise, [&](const Elementwise& entry) { return node.is(entry.name); });
  if (known == std::end(kElementwise)) return std::nullopt;
  const int result = node.result_view(0);
  if (known->operands == 2 && number_argument(node, 2, 1) != 1) return std::nullopt;  // alpha
  kernels::PointwiseProgram steps;
  steps.step_count = steps.output_count = 1;
  steps.input_count = known->operands;
  for (int i = 0; i < known->operands; ++i) {
    const int view = node.argument_view(static_cast<size_t>(i));
    if (!same_memory(program, view, result)) return std::nullopt;
    inputs.push_back(view);
  }
  steps.steps[0] = {known->op, 0, 1, 0};
  steps.outputs[0] = {static_cast<uint8_t>(known->operands), kernels::PointwiseKind::floats};
  return steps;
}

// grad where the activation was positive, else 0.
std::optional<kernels::PointwiseProgram> gate_of(const Program& program, const Node& node,
                                                 std::vector<int>& inputs) {
  if (!node.is("aten::threshold_backward") || number_argument(node, 2, 1) != 0 ||
      node.makes.size() != 1)
    return std::nullopt;
  const int result = node.result_view(0);
  for (const int view : {node.argument_view(0), node.argument_view(1)})
    if (!same_memory(program, view, result)) return std::nullopt;
  inputs = {node.argument_view(0), node.argument_view(1)};
  kernels::PointwiseProgram steps;
  steps.inputs[2] = kernels::PointwiseKind::scalar;
  steps.input_count = 3;
  steps.steps[0] = {PointwiseOp::le, 1, 2};
  steps.steps[1] = {PointwiseOp::where, 3, 2, 0};
  steps.step_count = 2;
  steps.outputs[0] = {4, kernels::PointwiseKind::floats};
  steps.output_count = 1;
  return steps;
}

constexpr float kZero = 0;

void lower_pointwise(const Program& program, Node& node, const kernels::PointwiseProgram& steps,
                     const std::vector<int>& inputs) {
  const int result = node.result_view(0);
  const int64_t count = program.views[result].elements();
  lower(node, "pointwise:" + node.name.substr(node.name.find("::") + 2), [=](const Binder& binder) {
    std::array<const void*, kernels::PointwiseProgram::kMaxInputs> from{};
    for (size_t i = 0; i < inputs.size(); ++i) from[i] = binder.address(inputs[i]);
    if (steps.input_count > static_cast<int>(inputs.size())) from[inputs.size()] = &kZero;
    return [=, to = binder.address(result)] {
      in_parallel(count, 1, [&](int64_t begin, int64_t end) {
        void* const out = to;
        kernels::run_pointwise(steps, from.data(), &out, begin, end);
      });
    };
  });
}

}  // namespace

size_t call_pointwise(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes) {
    std::vector<int> inputs;
    auto steps = step_of(program, node, inputs);
    if (!steps) {
      inputs.clear();
      steps = gate_of(program, node, inputs);
    }
    if (!steps) continue;
    lower_pointwise(program, node, *steps, inputs);
    ++changes;
  }
  return changes;
}

// Sums over rows: gradients of biases.
size_t sum_columns(Program& program) {
  size_t changes = 0;
  for (Node& node : program.nodes) {
    if (!node.is("aten::sum.dim_IntList")) continue;
    const int from = node.argument_view(0), to = node.result_view(0);
    if (!is_dense_float(program, from) || !is_dense_float(program, to) ||
        program.views[from].sizes.empty() || integers_argument(node, 1) != std::vector<int64_t>{0})
      continue;
    const int64_t rows = program.views[from].sizes[0], columns = program.views[to].elements();
    lower(node, "column_sums", [=](const Binder& binder) {
      return [=, matrix = at_address<float>(binder, from), out = at_address<float>(binder, to)] {
        kernels::column_sums(matrix, rows, columns, columns, out, false);
      };
    });
    ++changes;
  }
  return changes;
}

}  // namespace broch::runtime
