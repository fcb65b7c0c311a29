// stoppable.hpp: what can be ended early while it computes.
#pragma once
#include <atomic>

#include "base/error.hpp"

namespace broch::runtime {

// An Executable may be one, too; dynamic_cast finds out.
class __attribute__((visibility("default"))) Stoppable {
 public:
  virtual ~Stoppable() = default;
  // Later runs end between two operators once the flag is set, with the error of throw_if_stopped.
  // The next run computes everything again. nullptr: they do not.
  virtual void stop_when(const std::atomic<bool>* flag) = 0;
};

// Throws base::Error (Exit::interrupted) if there is a flag and it is set.
inline void throw_if_stopped(const std::atomic<bool>* flag) {
  if (flag && flag->load(std::memory_order_relaxed))
    throw base::Error(base::Exit::interrupted, "stopped by the caller");
}

}  // namespace broch::runtime
