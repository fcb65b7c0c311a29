// ahead.hpp: copies to a device that go on while operators run.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

namespace broch::libtorch {

struct AheadCopy {
  at::Tensor tensor;  // on the device
  c10::Event done;    // recorded behind the copy
};

// Begins to copy a tensor in memory of the CPU, which may be freed afterwards. [any]
AheadCopy copy_ahead(const at::Tensor& source, at::Device device);
// What is given from now on to the device's stream that is current here finds the values; all
// threads have the default one. The thread does not wait. [any]
void await_copy(const AheadCopy& copy);

}  // namespace broch::libtorch
