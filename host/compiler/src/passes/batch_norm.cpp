// batch_norm.cpp: batch norm in training mode and its derivative, fused with a relu after it.
#include "kernels/batch_norm.hpp"

#include <algorithm>

#include "lower.hpp"
#include "parts.hpp"

namespace broch::compiler {
namespace {

// The shape of images in either layout; nullopt for other layouts.
std::optional<kernels::BatchNorm> batch_norm_of(const Program& program, int number) {
  if (number == kNoView) return std::nullopt;
  const View& view = program.views[number];
  if (view.dtype != at::kFloat || view.sizes.size() < 2) return std::nullopt;
  kernels::BatchNorm norm;
  norm.images = view.sizes[0];
  norm.channels = view.sizes[1];
  norm.area = 1;
  for (size_t i = 2; i < view.sizes.size(); ++i) norm.area *= view.sizes[i];
  norm.channels_last = is_channels_last(view);
  if (!norm.channels_last && !view.contiguous()) return std::nullopt;
  if (norm.images * norm.channels * norm.area == 0) return std::nullopt;
  return norm;
}

bool same_layout(const Program& program, int a, int b) {
  return b != kNoView && program.views[a].sizes == program.views[b].sizes &&
         program.views[a].strides == program.views[b].strides &&
         program.views[b].dtype == at::kFloat;
}

// Without height and width LibTorch sums in another order.
bool sums_planes(const kernels::BatchNorm& norm) { return !norm.channels_last && norm.area > 1; }

// Calls body for parts of the channels, in parallel.
template <class Body>
void over_channels(const kernels::BatchNorm& norm, const Body& body) {
  in_parallel(norm.channels, 10.0 * static_cast<double>(norm.images * norm.area),
              [&](int64_t begin, int64_t end) {
                kernels::BatchNorm part = norm;
                part.begin = begin;
                part.end = end;
                body(part);
              });
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

bool lower_batch_norm(Program& program, Node& node, const Uses& uses, bool exactly) {
  if (!node.is("aten::native_batch_norm") || !flag_argument(node, 5, false)) return false;
  const int x = node.argument_view(0), gamma = node.argument_view(1), beta = node.argument_view(2);
  const int running_mean = node.argument_view(3), running_variance = node.argument_view(4);
  const int mean = node.result_view(1), inverse = node.result_view(2);
  const auto shape = batch_norm_of(program, x);
  if (!shape || !same_layout(program, x, node.result_view(0)) || mean == kNoView ||
      inverse == kNoView ||
      !all_dense_or_none(program, {gamma, beta, running_mean, running_variance, mean, inverse}))
    return false;
  if (exactly && !sums_planes(*shape)) return false;
  const double momentum = number_argument(node, 6, 0), eps = number_argument(node, 7, 0);
  const bool relu = take_over_relu(program, node, uses);
  const int y = node.result_view(0);
  std::string name = exactly ? "batch_norm:exact" : "batch_norm";
  lower(node, relu ? name + "+relu" : name, [=](const Binder& binder) {
    kernels::BatchNorm norm = *shape;
    norm.gamma = address_or_null(binder, gamma);
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
    return [=] {
      over_channels(norm, [&](const kernels::BatchNorm& part) {
        exactly ? kernels::batch_norm_exactly(part, call) : kernels::batch_norm(part, call);
      });
    };
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

bool lower_batch_norm_backward(Program& program, size_t index, const Uses& uses, bool exactly) {
  Node& node = program.nodes[index];
  if (!node.is("aten::native_batch_norm_backward") || !flag_argument(node, 7, false)) return false;
  const int dy = node.argument_view(0), x = node.argument_view(1), gamma = node.argument_view(2);
  const int mean = node.argument_view(5), inverse = node.argument_view(6);
  const int dx = node.result_view(0), d_gamma = node.result_view(1), d_beta = node.result_view(2);
  const auto shape = batch_norm_of(program, x);
  if (!shape || !same_layout(program, x, dy) || !same_layout(program, x, dx) || mean == kNoView ||
      inverse == kNoView || !all_dense_or_none(program, {gamma, mean, inverse, d_gamma, d_beta}))
    return false;
  if (exactly && !sums_planes(*shape)) return false;
  const Gated gated = take_over_gate(program, index, uses);
  std::string name = exactly ? "batch_norm_backward:exact" : "batch_norm_backward";
  lower(node, gated.gate == kNoView ? "batch_norm_backward" : "gate+batch_norm_backward",
        [=](const Binder& binder) {
          kernels::BatchNorm norm = *shape;
          norm.gamma = address_or_null(binder, gamma);
          kernels::BatchNormBackward call;
          call.dy = at_address<float>(binder, gated.dy);
          call.y = address_or_null(binder, gated.gate);
          call.x = at_address<float>(binder, x);
          call.mean = at_address<float>(binder, mean);
          call.inverse = at_address<float>(binder, inverse);
          call.dx = at_address<float>(binder, dx);
          call.d_gamma = address_or_null(binder, d_gamma);
          call.d_beta = address_or_null(binder, d_beta);
          return [=] {
            over_channels(norm, [&](const kernels::BatchNorm& part) {
              exactly ? kernels::batch_norm_backward_exactly(part, call)
                      : kernels::batch_norm_backward(part, call);
            });
          };
        });
  return true;
}

}  // namespace

size_t lower_batch_norms(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    changes += lower_batch_norm(program, program.nodes[i], uses, false) ||
               lower_batch_norm_backward(program, i, uses, false);
  drop_absorbed(program.nodes);
  return changes;
}

size_t lower_batch_norms_exactly(Program& program) {
  if (program.level != Level::bitwise || !kernels::exact_batch_norm_is_here()) return 0;
  size_t changes = 0;
  const Uses uses(program);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    changes += lower_batch_norm(program, program.nodes[i], uses, true) ||
               lower_batch_norm_backward(program, i, uses, true);
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::compiler
