// passes.hpp: from program to program: each has a name, can be left out, and is tested alone.
#pragma once
#include <cstddef>
#include <span>

#include "compiler/names.hpp"
#include "compiler/program.hpp"

namespace broch::compiler {

struct Pass {
  const char* name;
  Level level;              // from which on it is done
  size_t (*run)(Program&);  // how many changes it made
};

// In the order in which they are done.
std::span<const Pass> all_passes();

// Calls that only look at memory otherwise, and those that ask for uninitialised memory: the
// descriptors of later calls have said it already.
size_t resolve_views(Program& program);
// Calls whose arguments are the same in every run are done once.
size_t fold_constants(Program& program);
// Calls that nothing wanted depends on.
size_t prune(Program& program);
// Bitwise: gradients of tables as rows, where they may be.
size_t sparse_embedding_gradients(Program& program);
// Bitwise: look-ups, also in bags and side by side, and gradients of tables.
size_t lower_look_ups(Program& program);
// Bitwise: elementwise operators without LibTorch's dispatcher.
size_t call_pointwise(Program& program);
// Bitwise: mm and addmm straight to MKL. Fast: to our own product, with a relu or its derivative.
size_t call_sgemm(Program& program);
size_t fuse_products(Program& program);
// Fast: the length of a list of tensors. Bitwise: a list times one number.
size_t fuse_global_norm(Program& program);
size_t scale_lists(Program& program);
// Bitwise: one number and a constant.
size_t lower_numbers(Program& program);
// Fast: gradients of biases.
size_t sum_columns(Program& program);
// Fast: images with their channels together, and convolutions of them.
size_t to_channels_last(Program& program);
size_t lower_convolutions(Program& program);
// Bitwise: the largest elements of windows, and their gradients.
size_t lower_pooling(Program& program);
// Bitwise: batch norm while training as LibTorch sums it, with a relu.
size_t lower_batch_norms_exactly(Program& program);
// Fast: batch norm with a relu; layer norm; gelu; attention; their derivatives too.
size_t lower_batch_norms(Program& program);
size_t lower_layer_norms(Program& program);
size_t lower_activations(Program& program);
size_t lower_attention(Program& program);
// Fast: softmax cross entropy with its gradient.
size_t fuse_cross_entropy(Program& program);

}  // namespace broch::compiler
