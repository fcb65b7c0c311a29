// signal_stack.hpp: a stack for signal handlers, since the thread's own stack may have overflowed.
#pragma once
#include <cstddef>
#include <memory>

namespace broch::abi {

// Belongs to the thread that constructs it. If the thread already has a signal stack, nothing is
// changed.
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
