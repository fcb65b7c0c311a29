// kernel_watch.hpp: finds out whether a plugin's kernel writes to memory it must not write to.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "broch/dlpack.h"
#include "tower/names.hpp"

namespace broch::tower {

// One call of a kernel, with outputs in memory of this object that is padded on both sides.
class KernelWatch {
 public:
  // Borrows descriptions and memory for its lifetime.
  KernelWatch(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs);

  std::span<const broch_dl_tensor> outputs() const { return watched_; }

  // Checksums of the inputs and, after finish, of the outputs.
  std::string given() const;
  std::string gave() const;

  // To be called after the kernel: copies the outputs to where they belong. Returns "" or the
  // kernel's mistake as text.
  std::string finish() const;

 private:
  std::string wrong_with(size_t output) const;

  std::span<const broch_dl_tensor> inputs_, outputs_;
  std::vector<std::string> before_;  // checksums of inputs
  std::vector<std::vector<std::byte>> memory_;
  std::vector<broch_dl_tensor> watched_;
};

}  // namespace broch::tower
