// kernel.hpp: recognizes host code among the operators that LibTorch calls.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <span>

#include "names.hpp"
#include "runtime/backend.hpp"

namespace broch::libtorch {

// The host code that a call with these arguments runs; nullptr if it is an operator of LibTorch.
const HostKernel* host_kernel_of(const c10::OperatorHandle& op,
                                 std::span<const c10::IValue> arguments);

}  // namespace broch::libtorch
