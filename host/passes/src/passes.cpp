// passes.cpp: the list of passes.
#include "passes/passes.hpp"

namespace broch::passes {

std::span<const Pass> all_passes() {
  static constexpr Pass kPasses[] = {
      {"views", Level::bitwise, resolve_views},
      {"prune", Level::bitwise, prune},
      {"casts", Level::bitwise, share_casts},
      {"fold", Level::bitwise, fold_constants},
      {"batch-norm-fold", Level::fast, fold_batch_norms},
      {"rows", Level::bitwise, sparse_embedding_gradients},
      {"look-ups", Level::bitwise, lower_look_ups},
      {"layout", Level::fast, to_channels_last},
      {"convolutions", Level::fast, lower_convolutions},
      {"depthwise", Level::fast, lower_depthwise},
      {"cross-entropy", Level::fast, fuse_cross_entropy},
      {"products", Level::fast, fuse_products},
      {"products-16", Level::fast, lower_products16},
      {"widen", Level::fast, widen_values},
      {"sums", Level::fast, sum_columns},
      {"layer-norm", Level::fast, lower_layer_norms},
      {"batch-norm", Level::fast, lower_batch_norms},
      {"activations", Level::fast, lower_activations},
      {"attention", Level::fast, lower_attention},
      {"norm", Level::fast, fuse_global_norm},
      {"batch-norm-exact", Level::bitwise, lower_batch_norms_exactly},
      {"pooling", Level::bitwise, lower_pooling},
      {"sgemm", Level::bitwise, call_sgemm},
      {"scale", Level::bitwise, scale_lists},
      {"numbers", Level::bitwise, lower_numbers},
      {"pointwise", Level::bitwise, call_pointwise},
  };
  return kPasses;
}

}  // namespace broch::passes
