// passes.cpp: the list.
#include "passes.hpp"

namespace broch::runtime {

std::span<const Pass> all_passes() {
  static constexpr Pass kPasses[] = {
      {"views", Level::bitwise, resolve_views},
      {"prune", Level::bitwise, prune},
      {"fold", Level::bitwise, fold_constants},
  };
  return kPasses;
}

}  // namespace broch::runtime
