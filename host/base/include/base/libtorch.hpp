// libtorch.hpp: LibTorch out of the folder that the environment names.
#pragma once

namespace broch::base {

// Loads the LibTorch of BROCH_TORCH_DIR (the folder torch, or the one that contains it), so that
// what needs LibTorch finds it in memory, by soname. Nothing where the variable is not set or a
// LibTorch is there already. Throws Error (Exit::plugin) when there is none in that folder, or
// another one than 2.11.
void load_named_libtorch();

}  // namespace broch::base
