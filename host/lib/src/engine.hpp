// engine.hpp: the backend, which the open models of a process share.
#pragma once
#include <cstdint>
#include <memory>

#include "runtime/backend.hpp"

namespace broch::lib {

struct Engine {
  std::unique_ptr<runtime::Backend, void (*)(runtime::Backend*)> backend;
  int32_t threads;
  bool repeats;  // only LibTorch's deterministic algorithms are allowed
};

// The one of the open models, or a new one. threads: those of libbroch_options. repeats: whether
// the model needs deterministic algorithms. Throws base::Error, or Failure if the open models have
// another number of threads. Any thread.
std::shared_ptr<Engine> shared_engine(int32_t threads, bool repeats);

}  // namespace broch::lib
