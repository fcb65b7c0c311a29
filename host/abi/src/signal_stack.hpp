// signal_stack.hpp: a stack for signal handlers, since the thread's own may be what overflowed.
#pragma once
#include <cstddef>
#include <memory>

namespace broch::abi {

// Belongs to the thread that makes it, until destroyed. Leaves a stack that is already there alone.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr size_t kSize = 32768;
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace broch::abi
