// passes.cpp: the list.
#include "passes.hpp"

namespace broch::runtime {

std::span<const Pass> all_passes() {
  static constexpr Pass kPasses[] = {
      {"views", Level::bitwise, resolve_views},
      {"prune", Level::bitwise, prune},
      {"fold", Level::bitwise, fold_constants},
      {"layout", Level::fast, put_channels_together},
      {"convolutions", Level::fast, lower_convolutions},
      {"cross-entropy", Level::fast, fuse_cross_entropy},
      {"products", Level::fast, fuse_products},
      {"sums", Level::fast, sum_columns},
      {"layer-norm", Level::fast, lower_layer_norms},
      {"batch-norm", Level::fast, lower_batch_norms},
      {"activations", Level::fast, lower_activations},
      {"attention", Level::fast, lower_attention},
      {"batch-norm-exact", Level::bitwise, lower_batch_norms_exactly},
      {"pooling", Level::bitwise, lower_pooling},
      {"sgemm", Level::bitwise, call_sgemm},
      {"pointwise", Level::bitwise, call_pointwise},
  };
  return kPasses;
}

}  // namespace broch::runtime
