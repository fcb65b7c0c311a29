// conv_weights.cpp: gradients of weights, as a product, by tiles, or row by row.
#include "conv_weights.hpp"

#include <type_traits>

#include "conv_method.hpp"
#include "kernels/gemm.hpp"

namespace broch::passes {
namespace {

// For sums over images.
Parts parts_of(const kernels::ConvShape& shape) { return {shape.images, work_of(shape)}; }

// The gradient of the weights as a product. The first part writes it, the others add to it.
std::function<Kernel(const Binder&)> weights_product(Program& program, Node& node,
                                                     const WeightsGradient& of) {
  const kernels::ConvPatches patches(of.shape);
  const Parts parts = parts_of(of.shape);
  const int64_t size = program.views[of.d_weights].elements(), each = patches.scratch_size();
  const int sums = add_scratch(program, node, size * (parts.count - 1));
  const int scratch = add_scratch(program, node, each * parts.count);
  const kernels::Extent out = of.shape.out();
  const int64_t rows = of.shape.images * out.height * out.width, columns = of.shape.out_channels;
  return [=](const Binder& binder) -> Kernel {
    return [=, from = at_address<float>(binder, of.read),
            gradient = at_address<float>(binder, of.output_gradient),
            partial = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch),
            filter = at_address<float>(binder, of.d_weights),
            bias = address_or_null(binder, of.d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        patches.backward_weights(from, gradient, {begin, end},
                                 part ? partial + (part - 1) * size : filter, memory + part * each);
      });
      for (int64_t part = 1; part < parts.count; ++part)
        for (int64_t i = 0; i < size; ++i) filter[i] += partial[(part - 1) * size + i];
      if (bias) kernels::column_sums(gradient, rows, columns, columns, bias, false);
    };
  };
}

// Only sums row by row can be over bytes.
template <class Plan>
using ReadBy = std::conditional_t<std::is_same_v<Plan, kernels::ConvWeightsPlan>, void, float>;

// The same as sums that each part computes for its images, and which are added then.
template <class Plan>
std::function<Kernel(const Binder&)> weights_sums(Program& program, Node& node,
                                                  const WeightsGradient& of) {
  const Plan plan(of.shape);
  const Parts parts = parts_of(of.shape);
  const int sums = add_scratch(program, node, plan.sums_size() * parts.count);
  const int scratch = add_scratch(program, node, plan.scratch_size() * parts.count);
  return [=](const Binder& binder) -> Kernel {
    return [=, from = at_address<ReadBy<Plan>>(binder, of.read),
            gradient = at_address<float>(binder, of.output_gradient),
            partial = at_address<float>(binder, sums), memory = at_address<float>(binder, scratch),
            filter = at_address<float>(binder, of.d_weights),
            bias = address_or_null(binder, of.d_bias)] {
      parts.run([&](int64_t begin, int64_t end, int64_t part) {
        plan.run(from, gradient, {begin, end}, partial + part * plan.sums_size(),
                 memory + part * plan.scratch_size());
      });
      plan.finish(partial, parts.count, filter, bias);
    };
  };
}

}  // namespace

std::function<Kernel(const Binder&)> weights_gradient(Program& program, Node& node,
                                                      const WeightsGradient& of) {
  const auto make = kernels::ConvPatches::fits(of.shape) ? weights_product
                    : kernels::WinogradWeightsPlan::fits(of.shape)
                        ? weights_sums<kernels::WinogradWeightsPlan>
                        : weights_sums<kernels::ConvWeightsPlan>;
  return make(program, node, of);
}

}  // namespace broch::passes
