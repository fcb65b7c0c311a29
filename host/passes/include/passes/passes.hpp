// passes.hpp: passes, each of which transforms a program. Each has a name, can be left out, and is
// tested on its own.
#pragma once
#include <cstddef>
#include <span>

#include "passes/names.hpp"
#include "program/program.hpp"

namespace broch::passes {

struct Pass {
  const char* name;
  Level level;              // the lowest level at which it runs
  size_t (*run)(Program&);  // returns the number of changes
};

// In the order in which they run.
std::span<const Pass> all_passes();

// Removes calls that only make views or allocate uninitialized memory: the views of later calls
// already contain this information.
size_t resolve_views(Program& program);
// Executes calls whose arguments are the same in every run only once.
size_t fold_constants(Program& program);
// Fast: batch norm in inference, with constant parameters, as part of the convolution before it.
size_t fold_batch_norms(Program& program);
// Removes calls on which no wanted output depends.
size_t prune(Program& program);
// Bitwise: casts of the same value to the same type become one.
size_t share_casts(Program& program);
// Bitwise: gradients of tables as rows, where the options allow it.
size_t sparse_embedding_gradients(Program& program);
// Bitwise: table look-ups, single, in bags or joined, and gradients of tables.
size_t lower_look_ups(Program& program);
// Bitwise: elementwise operators, without LibTorch's dispatcher.
size_t call_pointwise(Program& program);
// Bitwise: calls MKL directly for mm and addmm. Fast: our own product, fused with a relu or its
// derivative.
size_t call_sgemm(Program& program);
size_t fuse_products(Program& program);
// Fast: the same in bfloat16, with the casts around the product. Then values in bfloat16 between
// products become float32, where their calls can compute in either.
size_t lower_products16(Program& program);
size_t widen_values(Program& program);
// Fast: the norm of a list of tensors. Bitwise: a list of tensors times one number.
size_t fuse_global_norm(Program& program);
size_t scale_lists(Program& program);
// Bitwise: operators on one number and a constant.
size_t lower_numbers(Program& program);
// Fast: gradients of biases.
size_t sum_columns(Program& program);
// Fast: images with channels last, and convolutions of them.
size_t to_channels_last(Program& program);
size_t lower_convolutions(Program& program);
size_t lower_depthwise(Program& program);
// Bitwise: max pooling and its gradient.
size_t lower_pooling(Program& program);
// Bitwise: batch norm in training mode with LibTorch's order of sums, fused with a relu.
size_t lower_batch_norms_exactly(Program& program);
// Fast: batch norm fused with a relu; layer norm; gelu; attention; and their derivatives.
size_t lower_batch_norms(Program& program);
size_t lower_layer_norms(Program& program);
size_t lower_activations(Program& program);
size_t lower_attention(Program& program);
// Fast: softmax cross entropy together with its gradient.
size_t fuse_cross_entropy(Program& program);

}  // namespace broch::passes
