// kernel.hpp: code of a plugin as an operator in a tower.
#pragma once
#include <type_traits>

#include "host.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

// Derive from it, and call it with Tower::kernel. ext/kernel.h says what run and backward may do.
// They throw Error to report a failure. A derived class must also define its name, for messages and
// random numbers, and what the host may assume of run (BROCH_KERNEL_…):
//   static constexpr const char* kName = "nearest";
//   static constexpr uint32_t kFlags = BROCH_KERNEL_PURE;
class Kernel {
 public:
  using Types = View<const broch_kernel_type>;
  using Tensors = View<const broch_dl_tensor>;  // view_as<float> returns the elements of one

  explicit Kernel(const Host& host) : host_(host) {}
  virtual ~Kernel() = default;
  const Host& host() const { return host_; }

  // Sets dtype and shape of each output. If it is not overridden, they are those of the input at
  // the same place.
  virtual void shapes(Types inputs, View<broch_kernel_type> outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i >= inputs.size())
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "there are more outputs than inputs: override shapes");
      outputs[i] = inputs[i];
    }
  }
  // Writes every element of the outputs, whose memory is given.
  virtual void run(const broch_kernel_call& call, Tensors inputs, Tensors outputs) = 0;
  // The derivative, as PURE: inputs are the inputs and outputs of run and the gradients of its
  // outputs; outputs are the gradients of its inputs. If it is not overridden, no gradient flows
  // through the kernel.
  virtual void backward(const broch_kernel_call&, Tensors, Tensors) {}

 private:
  Host host_;
};

namespace glue {

inline broch_status kernel_shapes(void* user, const broch_kernel_type* inputs, uint32_t n,
                                  broch_kernel_type* outputs, uint32_t m) {
  Kernel& kernel = *static_cast<Kernel*>(user);
  return at_border(kernel.host().c(), [&]() -> broch_status {
    kernel.shapes({inputs, n}, {outputs, m});
    return BROCH_OK;
  });
}

template <void (Kernel::*kMethod)(const broch_kernel_call&, Kernel::Tensors, Kernel::Tensors)>
broch_status kernel_run(void* user, const broch_kernel_call* call, const broch_dl_tensor* inputs,
                        uint32_t n, const broch_dl_tensor* outputs, uint32_t m) {
  Kernel& kernel = *static_cast<Kernel*>(user);
  return at_border(kernel.host().c(), [&]() -> broch_status {
    (kernel.*kMethod)(*call, {inputs, n}, {outputs, m});
    return BROCH_OK;
  });
}

template <class Code>
inline constexpr broch_kernel kKernelBackward = {sizeof(broch_kernel),
                                                 BROCH_KERNEL_PURE,
                                                 Code::kName,
                                                 &kernel_shapes,
                                                 &kernel_run<&Kernel::backward>,
                                                 nullptr};

template <class Code>
inline constexpr broch_kernel kKernel = {
    sizeof(broch_kernel),
    Code::kFlags,
    Code::kName,
    &kernel_shapes,
    &kernel_run<&Kernel::run>,
    std::is_same_v<decltype(&Code::backward), decltype(&Kernel::backward)>
        ? nullptr
        : &kKernelBackward<Code>};

}  // namespace glue
}  // namespace v0
}  // namespace broch
