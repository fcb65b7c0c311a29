// refuse.hpp: a plugin's mistake, told with place, found, expected and next.
#pragma once
#include "abi/serve.hpp"
#include "base/error.hpp"

namespace broch::runtime {

[[noreturn]] inline void refuse(broch_status status, const base::Diagnostic& diagnostic) {
  throw abi::CallError(status, base::Error(base::Exit::training, diagnostic).what());
}

}  // namespace broch::runtime
