// pointwise.cpp: elementwise operators on whole buffers; a chain of them is computed in one pass.
#include "kernels/pointwise.hpp"

#include <algorithm>
#include <bit>

#include "lower.hpp"
#include "parts.hpp"
#include "pixels.hpp"

namespace broch::passes {
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

// A view with as many elements as the result, or one number.
struct Operand {
  int view = kNoView;  // kNoView: it is the number
  float number = 0;
  bool operator==(const Operand& other) const {  // -0 is not 0
    return view == other.view &&
           std::bit_cast<uint32_t>(number) == std::bit_cast<uint32_t>(other.number);
  }
};

// What one call computes on whole buffers. A conversion of bytes to floats has no steps: it can
// only be joined to the call that reads its result.
struct Chain {
  kernels::PointwiseProgram program;
  std::vector<Operand> inputs;
  std::string name;
};

std::optional<Chain> operator_of(const Program& program, const Node& node) {
  const auto known = std::ranges::find_if(
      kElementwise, [&](const Elementwise& entry) { return node.is(entry.name); });
  if (known == std::end(kElementwise)) return std::nullopt;
  const int result = node.result_view(0);
  if (known->operands == 2 && number_argument(node, 2, 1) != 1) return std::nullopt;  // alpha
  Chain chain;
  chain.program.step_count = chain.program.output_count = 1;
  chain.program.input_count = known->operands;
  for (int i = 0; i < known->operands; ++i) {
    const int view = node.argument_view(static_cast<size_t>(i));
    if (!same_memory(program, view, result)) return std::nullopt;
    chain.inputs.push_back({view});
  }
  chain.program.steps[0] = {known->op, 0, 1, 0};
  chain.program.outputs[0] = static_cast<uint8_t>(known->operands);
  return chain;
}

// x op number. LibTorch rounds the number to the tensor's dtype first.
std::optional<Chain> with_number(const Program& program, const Node& node, PointwiseOp op,
                                 double number) {
  const int view = node.argument_view(0);
  if (!same_memory(program, view, node.result_view(0))) return std::nullopt;
  Chain chain;
  chain.inputs = {{view}, {kNoView, static_cast<float>(number)}};
  chain.program.inputs[1] = kernels::PointwiseKind::scalar;
  chain.program.input_count = 2;
  chain.program.steps[0] = {op, 0, 1, 0};
  chain.program.step_count = chain.program.output_count = 1;
  chain.program.outputs[0] = 2;
  return chain;
}

std::optional<Chain> scaling_of(const Program& program, const Node& node) {
  if (!node.is("aten::mul.Scalar")) return std::nullopt;
  return with_number(program, node, PointwiseOp::mul, number_argument(node, 1, 1));
}

std::optional<Chain> shift_of(const Program& program, const Node& node) {
  if (!node.is("aten::add.Scalar") || number_argument(node, 2, 1) != 1) return std::nullopt;
  return with_number(program, node, PointwiseOp::add, number_argument(node, 1, 0));
}

// Squares and cubes, which LibTorch computes as products.
std::optional<Chain> power_of(const Program& program, const Node& node) {
  if (!node.is("aten::pow.Tensor_Scalar")) return std::nullopt;
  const double exponent = number_argument(node, 1, 0);
  const int view = node.argument_view(0);
  if ((exponent != 2 && exponent != 3) || !same_memory(program, view, node.result_view(0)))
    return std::nullopt;
  Chain chain;
  chain.inputs = {{view}};
  chain.program.input_count = 1;
  chain.program.steps[0] = {PointwiseOp::mul, 0, 0, 0};
  chain.program.steps[1] = {PointwiseOp::mul, 1, 0, 0};
  chain.program.step_count = exponent == 2 ? 1 : 2;
  chain.program.outputs[0] = static_cast<uint8_t>(chain.program.step_count);
  chain.program.output_count = 1;
  return chain;
}

// The gradient where the activation was positive, otherwise 0.
std::optional<Chain> gate_of(const Program& program, const Node& node) {
  if (!node.is("aten::threshold_backward") || number_argument(node, 2, 1) != 0 ||
      node.makes.size() != 1)
    return std::nullopt;
  const int result = node.result_view(0);
  for (const int view : {node.argument_view(0), node.argument_view(1)})
    if (!same_memory(program, view, result)) return std::nullopt;
  Chain chain;
  chain.inputs = {{node.argument_view(0)}, {node.argument_view(1)}, {kNoView, 0}};
  chain.program.inputs[2] = kernels::PointwiseKind::scalar;
  chain.program.input_count = 3;
  chain.program.steps[0] = {PointwiseOp::le, 1, 2};
  chain.program.steps[1] = {PointwiseOp::where, 3, 2, 0};
  chain.program.step_count = 2;
  chain.program.outputs[0] = 4;
  chain.program.output_count = 1;
  return chain;
}

// Bytes, such as the pixels of an image, become floats.
std::optional<Chain> conversion_of(const Program& program, const Node& node) {
  if (!makes_floats_of_bytes(program, node)) return std::nullopt;
  const int from = node.argument_view(0);
  if (!same_order(program, from, node.result_view(0))) return std::nullopt;
  Chain chain;
  chain.inputs = {{from}};
  chain.program.inputs[0] = kernels::PointwiseKind::bytes;
  chain.program.input_count = chain.program.output_count = 1;
  return chain;
}

std::optional<Chain> chain_of(const Program& program, const Node& node) {
  auto chain = operator_of(program, node);
  if (!chain) chain = conversion_of(program, node);
  if (!chain) chain = scaling_of(program, node);
  if (!chain) chain = shift_of(program, node);
  if (!chain) chain = power_of(program, node);
  if (!chain) chain = gate_of(program, node);
  if (chain) chain->name = node.name.substr(node.name.find("::") + 2);
  return chain;
}

// Appends the steps of `from` to those of `to`. values[i] is the operand number in `to` of input i.
// Returns the operand number of the result, or nullopt if there are too many steps.
std::optional<uint8_t> append_steps(const kernels::PointwiseProgram& from,
                                    std::vector<uint8_t> values, kernels::PointwiseProgram& to) {
  if (to.step_count + from.step_count > to.kMaxSteps) return std::nullopt;
  for (int i = 0; i < from.step_count; ++i) {
    const kernels::PointwiseStep& step = from.steps[static_cast<size_t>(i)];
    const auto value = [&](uint8_t of) { return of < values.size() ? values[of] : uint8_t{0}; };
    values.push_back(static_cast<uint8_t>(to.input_count + to.step_count));
    to.steps[static_cast<size_t>(to.step_count++)] = {step.op, value(step.a), value(step.b),
                                                      value(step.c)};
  }
  return values[from.outputs[0]];
}

// The steps of `first`, then those of `next`, where `between` is the result of `first` that `next`
// reads.
std::optional<Chain> joined(const Chain& first, const Chain& next, int between) {
  Chain both;
  both.name = first.name + "+" + next.name;
  std::vector<kernels::PointwiseKind> kinds;
  const auto number_of = [&](const Chain& of, size_t input) {
    const Operand& operand = of.inputs[input];
    const auto number = std::ranges::find(both.inputs, operand) - both.inputs.begin();
    if (number == std::ssize(both.inputs)) {
      both.inputs.push_back(operand);
      kinds.push_back(of.program.inputs[input]);
    }
    return static_cast<uint8_t>(number);
  };
  std::vector<uint8_t> first_values, next_values;
  for (size_t i = 0; i < first.inputs.size(); ++i) first_values.push_back(number_of(first, i));
  for (size_t i = 0; i < next.inputs.size(); ++i)
    next_values.push_back(next.inputs[i].view == between ? uint8_t{0} : number_of(next, i));
  if (both.inputs.size() > kernels::PointwiseProgram::kMaxInputs) return std::nullopt;
  std::ranges::copy(kinds, both.program.inputs.begin());
  both.program.input_count = static_cast<int>(both.inputs.size());
  const auto middle = append_steps(first.program, std::move(first_values), both.program);
  if (!middle) return std::nullopt;
  for (size_t i = 0; i < next.inputs.size(); ++i)
    if (next.inputs[i].view == between) next_values[i] = *middle;
  const auto last = append_steps(next.program, std::move(next_values), both.program);
  if (!last) return std::nullopt;
  both.program.outputs[0] = *last;
  both.program.output_count = 1;
  return both;
}

// Whether the call at `first` can be computed at `next`, its only reader. No call in between may
// write to what it reads, and `next` may write to it only element by element.
bool may_wait(const Program& program, const Uses& uses, const Chain& chain, size_t first,
              size_t next) {
  const int result = program.nodes[next].result_view(0);
  return std::ranges::all_of(chain.inputs, [&](const Operand& operand) {
    if (operand.view == kNoView) return true;
    const int buffer = program.views[operand.view].buffer;
    return !uses.written_between(buffer, first, next) &&
           (buffer != program.views[result].buffer || operand.view == result);
  });
}

// Whether the call reads the buffer of this view, and only through the view. The same elements can
// have a view with other strides where a size is 1.
bool reads_only(const Program& program, const Chain& chain, int view) {
  const int buffer = program.views[view].buffer;
  const auto is_other = [&](const Operand& operand) {
    return operand.view != kNoView && operand.view != view &&
           program.views[operand.view].buffer == buffer;
  };
  return std::ranges::find(chain.inputs, Operand{view}) != chain.inputs.end() &&
         std::ranges::none_of(chain.inputs, is_other);
}

// Moves the call at `index` into the only call that reads its result.
bool move_into_reader(Program& program, const Uses& uses, std::vector<std::optional<Chain>>& chains,
                      size_t index) {
  Node& node = program.nodes[index];
  const int between = node.result_view(0), buffer = program.views[between].buffer;
  const auto reader = uses.only_reader(program, buffer);
  if (!reader || *reader <= index || !chains[*reader] || node.makes.size() != 1) return false;
  Node& next = program.nodes[*reader];
  if (!reads_only(program, *chains[*reader], between) ||
      !may_wait(program, uses, *chains[index], index, *reader))
    return false;
  auto both = joined(*chains[index], *chains[*reader], between);
  if (!both) return false;
  chains[*reader] = std::move(both);
  chains[index].reset();
  std::erase(next.reads, buffer);
  for (const int read : node.reads) append_new(next.reads, read);
  absorb(node);
  return true;
}

void lower_chain(const Program& program, Node& node, const Chain& chain) {
  const int result = node.result_view(0);
  const int64_t count = program.views[result].elements();
  node.arguments.clear();
  for (const Operand& operand : chain.inputs)
    if (operand.view != kNoView)
      node.arguments.push_back({Argument::Kind::tensor, {}, {operand.view}});
  lower(node, "pointwise:" + chain.name, [=](const Binder& binder) {
    std::array<const void*, kernels::PointwiseProgram::kMaxInputs> from{};
    for (size_t i = 0; i < chain.inputs.size(); ++i)
      if (chain.inputs[i].view != kNoView) from[i] = binder.address(chain.inputs[i].view);
    return [=, steps = chain.program, operands = chain.inputs, to = binder.address(result)] {
      auto inputs = from;
      for (size_t i = 0; i < operands.size(); ++i)
        if (!inputs[i]) inputs[i] = &operands[i].number;
      in_parallel(count, steps.step_count, [&](int64_t begin, int64_t end) {
        void* const out = to;
        kernels::run_pointwise(steps, inputs.data(), &out, begin, end);
      });
    };
  });
}

}  // namespace

size_t call_pointwise(Program& program) {
  std::vector<std::optional<Chain>> chains;
  for (const Node& node : program.nodes) chains.push_back(chain_of(program, node));
  const Uses uses(program);
  size_t changes = 0;
  for (size_t i = 0; i < chains.size(); ++i) {
    if (!chains[i]) continue;
    const bool is_conversion = chains[i]->program.step_count == 0;
    const bool moved = move_into_reader(program, uses, chains, i);
    if (!moved && is_conversion) continue;
    ++changes;
    if (!moved) lower_chain(program, program.nodes[i], *chains[i]);
  }
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
