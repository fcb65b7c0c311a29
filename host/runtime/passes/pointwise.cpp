// pointwise.cpp: elementwise operators on whole buffers, and runs of them in one pass.
#include "kernels/pointwise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

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

// What takes the place of an operator: inputs are views, and behind them constants.
struct Lowered {
  kernels::PointwiseProgram program;
  std::vector<int> views;
  std::vector<float> constants;

  // These are made first.
  void take(int view, kernels::PointwiseKind kind = kernels::PointwiseKind::floats) {
    program.inputs[static_cast<size_t>(program.input_count++)] = kind;
    views.push_back(view);
  }
  void take_constant(double value) {
    program.inputs[static_cast<size_t>(program.input_count++)] = kernels::PointwiseKind::scalar;
    constants.push_back(static_cast<float>(value));
  }
  void step(PointwiseOp op, int a, int b = 0, int c = 0) {
    program.steps[static_cast<size_t>(program.step_count++)] = {
        op, static_cast<uint8_t>(a), static_cast<uint8_t>(b), static_cast<uint8_t>(c)};
    program.outputs[0] = {static_cast<uint8_t>(program.input_count + program.step_count - 1),
                          kernels::PointwiseKind::floats};
    program.output_count = 1;
  }
};

bool is_number(const Program& program, int view) {
  return is_dense_float(program, view) && program.views[view].sizes.empty();
}

// One step over operands of the result's size; a 0-dim float operand counts for every element.
std::optional<Lowered> step_of(const Program& program, const Node& node) {
  const auto known = std::ranges::find_if(
      kElementwise, [&](const Elementwise& entry) { return node.is(entry.name); });
  if (known == std::end(kElementwise)) return std::nullopt;
  if (known->operands == 2 && number_argument(node, 2, 1) != 1) return std::nullopt;  // alpha
  Lowered lowered;
  for (int i = 0; i < known->operands; ++i) {
    const int view = node.argument_view(static_cast<size_t>(i));
    const bool whole = same_memory(program, view, node.result_view(0));
    if (!whole && !is_number(program, view)) return std::nullopt;
    lowered.take(view, whole ? kernels::PointwiseKind::floats : kernels::PointwiseKind::scalar);
  }
  lowered.step(known->op, 0, 1);
  return lowered;
}

// One tensor and constants. LibTorch rounds a constant to float before it computes with it.
std::optional<Lowered> step_with_constant(const Program& program, const Node& node) {
  const bool reciprocal = node.is("aten::reciprocal"), clamp = node.is("aten::clamp_max");
  if (!reciprocal && !clamp && !node.is("aten::mul.Scalar")) return std::nullopt;
  const int from = node.argument_view(0);
  const double constant = reciprocal ? 1 : number_argument(node, 1, std::nan(""));
  if (node.makes.size() != 1 || std::isnan(constant) ||
      !same_memory(program, from, node.result_view(0)))
    return std::nullopt;
  Lowered lowered;
  lowered.take(from);
  lowered.take_constant(constant);
  if (reciprocal) {
    lowered.step(PointwiseOp::div, 1, 0);
  } else if (!clamp) {
    lowered.step(PointwiseOp::mul, 0, 1);
  } else {  // what is not a number stays so
    lowered.step(PointwiseOp::gt, 0, 1);
    lowered.step(PointwiseOp::where, 2, 1, 0);
  }
  return lowered;
}

// grad where the activation was positive, else 0.
std::optional<Lowered> gate_of(const Program& program, const Node& node) {
  if (!node.is("aten::threshold_backward") || number_argument(node, 2, 1) != 0 ||
      node.makes.size() != 1)
    return std::nullopt;
  Lowered lowered;
  for (const int view : {node.argument_view(0), node.argument_view(1)}) {
    if (!same_memory(program, view, node.result_view(0))) return std::nullopt;
    lowered.take(view);
  }
  lowered.take_constant(0);
  lowered.step(PointwiseOp::le, 1, 2);
  lowered.step(PointwiseOp::where, 3, 2, 0);
  return lowered;
}

void lower_pointwise(const Program& program, Node& node, Lowered lowered) {
  const int result = node.result_view(0);
  const int64_t count = program.views[result].elements();
  lower(node, "pointwise:" + node.name.substr(node.name.find("::") + 2),
        [=, lowered = std::move(lowered)](const Binder& binder) {
          std::array<const void*, kernels::PointwiseProgram::kMaxInputs> from{};
          size_t next = 0;
          for (const int view : lowered.views) from[next++] = binder.address(view);
          const auto constants = std::make_shared<const std::vector<float>>(lowered.constants);
          for (const float& constant : *constants) from[next++] = &constant;
          return [=, held = constants, steps = lowered.program, to = binder.address(result)] {
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
    std::optional<Lowered> lowered = step_of(program, node);
    if (!lowered) lowered = step_with_constant(program, node);
    if (!lowered) lowered = gate_of(program, node);
    if (!lowered) continue;
    lower_pointwise(program, node, std::move(*lowered));
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
