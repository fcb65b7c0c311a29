// batch_norm.cpp: batch norm in training mode and its derivative, fused with a relu after it.
#include <algorithm>
#include <map>

#include "batch_norm_threads.hpp"

namespace broch::passes {
namespace {

bool same_layout(const Program& program, int a, int b) {
  return b != kNoView && program.views[a].sizes == program.views[b].sizes &&
         program.views[a].strides == program.views[b].strides &&
         program.views[b].dtype == at::kFloat;
}

// Fuses a relu that is the only reader of the result into the node.
bool take_over_relu(Program& program, Node& node, const Uses& uses) {
  const int y = node.result_view(0);
  if (y == kNoView) return false;
  const auto reader = uses.only_reader(program, program.views[y].buffer);
  if (!reader) return false;
  Node& next = program.nodes[*reader];
  if (!next.is("aten::relu") || next.argument_view(0) != y ||
      !same_layout(program, y, next.result_view(0)))
    return false;
  std::ranges::replace(node.makes, program.views[y].buffer, next.makes.front());
  std::ranges::replace(node.writes, program.views[y].buffer, next.makes.front());
  node.results[0] = next.results[0];
  absorb(next);
  return true;
}

// A batch norm with a relu, by the view of its output.
struct Forward {
  size_t index;
  int x, gamma, beta, mean, inverse;
};
using Forwards = std::map<int, Forward>;

bool lower_batch_norm(Program& program, size_t index, const Uses& uses, bool exactly,
                      Forwards& rectified) {
  Node& node = program.nodes[index];
  if (!node.is("aten::native_batch_norm") || !flag_argument(node, 5, false)) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(1), beta = node.argument_view(2);
  const int running_mean = node.argument_view(3), running_variance = node.argument_view(4);
  const int mean = node.result_view(1), inverse = node.result_view(2);
  const auto threads = BatchNormThreads::of(program, x);
  if (!threads || !same_layout(program, x, node.result_view(0)) || mean == kNoView ||
      inverse == kNoView ||
      !all_dense_or_none(program, {gamma, beta, running_mean, running_variance, mean, inverse}))
    return false;
  if (exactly && threads->channels_last()) return false;
  const double momentum = number_argument(node, 6, 0), eps = number_argument(node, 7, 0);
  const bool relu = take_over_relu(program, node, uses);
  const int y = node.result_view(0);
  if (relu) rectified[y] = {index, x, gamma, beta, mean, inverse};
  const int scratch = add_scratch(program, node, threads->scratch_size());
  std::string name = exactly ? "batch_norm:exact" : "batch_norm";
  lower(node, relu ? name + "+relu" : name, [=, threads = *threads](const Binder& binder) {
    kernels::BatchNormForward call;
    call.x = at_address<float>(binder, x);
    call.beta = address_or_null(binder, beta);
    call.eps = eps;
    call.relu = relu;
    call.y = at_address<float>(binder, y);
    call.mean = at_address<float>(binder, mean);
    call.inverse = at_address<float>(binder, inverse);
    call.running_mean = address_or_null(binder, running_mean);
    call.running_variance = address_or_null(binder, running_variance);
    call.momentum = momentum;
    const float* const scale = address_or_null(binder, gamma);
    return exactly ? threads.forward_exactly(call, scale)
                   : threads.forward(call, scale, at_address<float>(binder, scratch));
  });
  return true;
}

// The derivative of a relu that only the node reads: the gradient that goes into it, and the relu's
// output, which says where it passes the gradient on.
struct Gated {
  int dy, gate = kNoView;
};

Gated take_over_gate(Program& program, size_t index, const Uses& uses) {
  Node& node = program.nodes[index];
  const int dy = node.argument_view(0), buffer = program.views[dy].buffer;
  if (uses.only_reader(program, buffer) != index) return {dy};
  const size_t before = uses.writers[buffer].front();
  Node& maker = program.nodes[before];
  if (!maker.is("aten::threshold_backward") || number_argument(maker, 2, 1) != 0 ||
      maker.result_view(0) != dy)
    return {dy};
  const Gated gated{maker.argument_view(0), maker.argument_view(1)};
  for (const int view : {gated.dy, gated.gate})
    if (!same_layout(program, dy, view) ||
        uses.written_between(program.views[view].buffer, before, index))
      return {dy};
  std::erase(node.reads, buffer);
  for (const int view : {gated.dy, gated.gate}) append_new(node.reads, program.views[view].buffer);
  node.arguments[0].views = {gated.dy};
  node.arguments.push_back(maker.arguments[1]);
  absorb(maker);
  return gated;
}

// The beta of the forward pass whose output is the gate, if nothing has changed since, so that the
// gate can be computed again; nullopt: it has to be read.
std::optional<int> beta_of_gate(const Program& program, size_t index, const Uses& uses, int gate,
                                const Forwards& rectified) {
  const auto found = rectified.find(gate);
  if (found == rectified.end()) return std::nullopt;
  const Node& node = program.nodes[index];
  const Forward& forward = found->second;
  if (node.argument_view(1) != forward.x || node.argument_view(2) != forward.gamma ||
      node.argument_view(5) != forward.mean || node.argument_view(6) != forward.inverse)
    return std::nullopt;
  for (const int view : {forward.x, forward.gamma, forward.beta, forward.mean, forward.inverse})
    if (view != kNoView && uses.written_between(program.views[view].buffer, forward.index, index))
      return std::nullopt;
  return forward.beta;
}

bool lower_batch_norm_backward(Program& program, size_t index, const Uses& uses, bool exactly,
                               const Forwards& rectified) {
  Node& node = program.nodes[index];
  if (!node.is("aten::native_batch_norm_backward") || !flag_argument(node, 7, false)) return false;
  const int dy = node.argument_view(0), x = node.argument_view(1), gamma = node.argument_view(2);
  const int mean = node.argument_view(5), inverse = node.argument_view(6);
  const int dx = node.result_view(0), d_gamma = node.result_view(1), d_beta = node.result_view(2);
  const auto threads = BatchNormThreads::of(program, x);
  if (!threads || !same_layout(program, x, dy) || !same_layout(program, x, dx) || mean == kNoView ||
      inverse == kNoView || !all_dense_or_none(program, {gamma, mean, inverse, d_gamma, d_beta}))
    return false;
  if (exactly && threads->channels_last()) return false;
  Gated gated = take_over_gate(program, index, uses);
  const bool relu = gated.gate != kNoView;
  const auto again =
      exactly ? std::nullopt : beta_of_gate(program, index, uses, gated.gate, rectified);
  if (again) {
    std::erase(node.reads, program.views[gated.gate].buffer);
    node.arguments.pop_back();
    if (*again != kNoView) append_new(node.reads, program.views[*again].buffer);
    gated.gate = kNoView;
  }
  const int scratch = add_scratch(program, node, threads->scratch_size());
  lower(node, relu ? "gate+batch_norm_backward" : "batch_norm_backward",
        [=, threads = *threads](const Binder& binder) {
          kernels::BatchNormBackward call;
          call.dy = at_address<float>(binder, gated.dy);
          call.y = address_or_null(binder, gated.gate);
          call.x = at_address<float>(binder, x);
          call.mean = at_address<float>(binder, mean);
          call.inverse = at_address<float>(binder, inverse);
          call.dx = at_address<float>(binder, dx);
          call.d_gamma = address_or_null(binder, d_gamma);
          call.d_beta = address_or_null(binder, d_beta);
          call.relu = again.has_value();
          call.beta = again ? address_or_null(binder, *again) : nullptr;
          const float* const scale = address_or_null(binder, gamma);
          return exactly ? threads.backward_exactly(call, scale)
                         : threads.backward(call, scale, at_address<float>(binder, scratch));
        });
  return true;
}

size_t lower_all(Program& program, bool exactly) {
  size_t changes = 0;
  const Uses uses(program);
  Forwards rectified;
  for (size_t i = 0; i < program.nodes.size(); ++i)
    changes += lower_batch_norm(program, i, uses, exactly, rectified) ||
               lower_batch_norm_backward(program, i, uses, exactly, rectified);
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace

size_t lower_batch_norms(Program& program) { return lower_all(program, false); }

size_t lower_batch_norms_exactly(Program& program) {
  if (program.level != Level::bitwise || !kernels::exact_batch_norm_is_here()) return 0;
  return lower_all(program, true);
}

}  // namespace broch::passes
