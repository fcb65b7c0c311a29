// damaged.hpp: the failure of a file whose bytes are not those that were written.
#pragma once
#include "base/error.hpp"

namespace broch::store {

// The file was cut or changed, or is no safetensors file. Exit::checkpoint; what is no checkpoint
// can be described in another way.
class Damaged : public base::Error {
 public:
  explicit Damaged(const base::Diagnostic& diagnostic)
      : base::Error(base::Exit::checkpoint, diagnostic), diagnostic_(diagnostic) {}
  const base::Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  base::Diagnostic diagnostic_;
};

}  // namespace broch::store
