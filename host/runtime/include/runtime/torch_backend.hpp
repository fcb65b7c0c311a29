// torch_backend.hpp: opens the LibTorch backend for programs other than broch.
#pragma once
#include <memory>
#include <string>

#include "runtime/backend.hpp"

namespace broch::runtime {

// Like open_torch_backend(), from this file unless BROCH_RUNTIME names another. Any thread.
std::unique_ptr<Backend, void (*)(Backend*)> open_torch_backend(const std::string& file);

}  // namespace broch::runtime
