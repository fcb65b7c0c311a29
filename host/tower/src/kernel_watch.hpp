// kernel_watch.hpp: what a kernel of a plugin does to memory that is not its to write.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "broch/dlpack.h"
#include "tower/names.hpp"

namespace broch::tower {

// One call of a kernel on memory of its own, with room before and behind each output.
class KernelWatch {
 public:
  // Descriptions and memory: borrowed as long as it lives.
  KernelWatch(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs);

  std::span<const broch_dl_tensor> outputs() const { return watched_; }

  // Checksums of what the kernel got and, after finish, of what it gave.
  std::string given() const;
  std::string gave() const;

  // After the call: takes the values over. "" or what the kernel did, in words.
  std::string finish() const;

 private:
  std::string wrong_with(size_t output) const;

  std::span<const broch_dl_tensor> inputs_, outputs_;
  std::vector<std::string> before_;  // checksums of inputs
  std::vector<std::vector<std::byte>> memory_;
  std::vector<broch_dl_tensor> watched_;
};

}  // namespace broch::tower
