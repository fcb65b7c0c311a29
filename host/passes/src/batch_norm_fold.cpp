// batch_norm_fold.cpp: batch norm in inference as part of the weights of the convolution before it.
#include <cmath>

#include "lower.hpp"

namespace broch::passes {
namespace {

// y = (x - mean) / sqrt(variance + eps) * gamma + beta, for each channel.
struct Norm {
  int gamma, beta, mean, variance;
  double eps;
};

std::optional<Norm> norm_of(const Node& node) {
  const bool trains = node.is("aten::native_batch_norm");
  if (!trains && !node.is("aten::_native_batch_norm_legit_no_training")) return std::nullopt;
  if (trains && flag_argument(node, 5, true)) return std::nullopt;
  return Norm{node.argument_view(1), node.argument_view(2), node.argument_view(3),
              node.argument_view(4), number_argument(node, trains ? 7 : 6, 0)};
}

bool are_fixed(const Program& program, std::initializer_list<int> views) {
  return std::ranges::all_of(views, [&](int view) {
    return view == kNoView || (is_dense_float(program, view) && is_fixed(program, view));
  });
}

int persistent_value(Program& program, std::vector<int64_t> sizes) {
  const int view = program.new_value(std::move(sizes), at::kFloat);
  program.buffers[program.views[view].buffer].persistent = true;
  return view;
}

// The weights and the bias of the convolution with the norm in them, computed once.
struct Folded {
  int weights, bias;
};

Folded fold(Program& program, int weights, int bias, const Norm& norm) {
  const std::vector<int64_t> sizes = program.views[weights].sizes;
  const int64_t channels = sizes[0], each = program.views[weights].elements() / channels;
  const Folded folded{persistent_value(program, sizes), persistent_value(program, {channels})};
  Node node;
  for (const int view : {weights, bias, norm.gamma, norm.beta, norm.mean, norm.variance}) {
    node.arguments.push_back({Argument::Kind::tensor, {}, {view}});
    if (view != kNoView) append_new(node.reads, program.views[view].buffer);
  }
  for (const int view : {folded.weights, folded.bias}) {
    node.results.push_back({Argument::Kind::tensor, {}, {view}});
    node.makes.push_back(program.views[view].buffer);
  }
  node.writes = node.makes;
  lower(node, "fold_batch_norm", [=](const Binder& binder) {
    const auto at = [&](int view) { return address_or_null(binder, view); };
    return [=, from = at(weights), from_bias = at(bias), gamma = at(norm.gamma),
            beta = at(norm.beta), mean = at(norm.mean), variance = at(norm.variance),
            to = at(folded.weights), to_bias = at(folded.bias)] {
      for (int64_t c = 0; c < channels; ++c) {
        const double scale = (gamma ? gamma[c] : 1.0) / std::sqrt(variance[c] + norm.eps);
        for (int64_t i = c * each; i < (c + 1) * each; ++i)
          to[i] = static_cast<float>(from[i] * scale);
        const double shift = (from_bias ? from_bias[c] : 0.0) - mean[c];
        to_bias[c] = static_cast<float>(shift * scale + (beta ? beta[c] : 0.0));
      }
    };
  });
  program.once.push_back(std::move(node));
  return folded;
}

// Folds the norm that alone reads the result of this convolution.
bool fold_into(Program& program, const Uses& uses, Node& node) {
  if (!node.is("aten::convolution") || flag_argument(node, 6, true)) return false;
  const int weights = node.argument_view(1), bias = node.argument_view(2);
  const int between = program.views[node.result_view(0)].buffer;
  const auto reader = uses.only_reader(program, between);
  if (!reader || !are_fixed(program, {weights, bias})) return false;
  Node& next = program.nodes[*reader];
  const auto norm = norm_of(next);
  if (!norm || next.argument_view(0) != node.result_view(0) || next.makes.empty() ||
      norm->mean == kNoView || norm->variance == kNoView ||
      !are_fixed(program, {norm->gamma, norm->beta, norm->mean, norm->variance}) ||
      !uses.only_first_result_is_read(program, next))
    return false;
  const int result = next.result_view(0);
  if (program.views[result].strides != program.views[node.result_view(0)].strides) return false;
  const Folded folded = fold(program, weights, bias, *norm);
  node.arguments[1] = {Argument::Kind::tensor, {}, {folded.weights}};
  node.arguments[2] = {Argument::Kind::tensor, {}, {folded.bias}};
  for (const int view : {folded.weights, folded.bias})
    append_new(node.reads, program.views[view].buffer);
  node.results[0].views = {result};
  node.makes = node.writes = {program.views[result].buffer};
  node.allocations.clear();
  node.allocation_of.clear();
  absorb(next);
  return true;
}

}  // namespace

size_t fold_batch_norms(Program& program) {
  size_t changes = 0;
  const Uses uses(program);
  for (Node& node : program.nodes) changes += fold_into(program, uses, node);
  drop_absorbed(program.nodes);
  return changes;
}

}  // namespace broch::passes
