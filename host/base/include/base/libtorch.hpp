// libtorch.hpp: loads LibTorch from the folder that an environment variable names.
#pragma once
#include <string>

namespace broch::base {

// Loads the LibTorch of BROCH_TORCH_DIR (the folder torch, or the folder that contains it).
// Libraries that are loaded later and need LibTorch then get this one, because the soname is the
// same. Does nothing if the variable is not set or a LibTorch is loaded already. Throws Error
// (Exit::plugin) if the folder contains no LibTorch, or a version other than 2.11.
void load_named_libtorch();

// Loads the CUDA part of the LibTorch that is loaded, from the same folder, for libraries that need
// it and have no path to it. Does nothing if no LibTorch is loaded. Returns why it cannot be
// loaded; "": it can. Global, because libraries that it opens later look for symbols there.
std::string load_cuda_of_libtorch();

// What a user is to do who has no LibTorch that fits: `otherwise`, unless the program belongs to a
// Python package, which then has the variable BROCH_PYTHON name the Python. There, LibTorch is that
// of the package torch.
std::string how_to_get_libtorch(const std::string& otherwise);

}  // namespace broch::base
