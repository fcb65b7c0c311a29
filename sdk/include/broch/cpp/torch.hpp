// torch.hpp: at::Tensor instead of handles, for plugins that are built with
// broch_add_plugin(name … TORCH). This is the only header of the C++ layer that needs LibTorch;
// broch.hpp does not include it.
//
//   class Net final : public broch::Model {
//    public:
//     explicit Net(const broch::Host& host) : Model(host), torch_(host, &ops()) {}
//     broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
//       const at::Tensor x = torch_.get(inputs[0]);
//       …
//       return t.publish("cost", torch_.put(cost));
//     }
//    private:
//     broch::Torch torch_;
//   };
//
// BROCH_MODEL and the similar macros then write the tag of this LibTorch into the metadata.
// Metadata written by hand must end with "]" BROCH_META_TORCH "}". ext/torch_cxx.h says what such
// code may do in a tower.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/headeronly/version.h>

#include "../ext/torch_cxx.h"
#include "plugin.hpp"

#ifndef BROCH_TORCH_BUILD
#error \
    "no BROCH_TORCH_BUILD: build with broch_add_plugin(name ... TORCH), or define it as the \
build-id of libtorch_cpu.so in quotes"
#endif
#define BROCH_TORCH_TAG TORCH_VERSION "-" BROCH_TORCH_BUILD "-" BROCH_TORCH_STRINGS
#undef BROCH_META_TORCH
#define BROCH_META_TORCH ", \"torch\": \"" BROCH_TORCH_TAG "\""

namespace broch {
inline namespace v0 {

class Torch {
 public:
  // ops: the operators of the tensors that put returns. Throws Error if the host runs on another
  // LibTorch.
  explicit Torch(const Host& host, Ops* ops = nullptr)
      : host_(host),
        ops_(ops),
        table_(host.require<broch_host_torch_cxx>(BROCH_EXT_TORCH_CXX BROCH_TORCH_TAG)) {}

  // The tensor behind a handle; an undefined tensor for handle 0.
  at::Tensor get(broch_tensor tensor) const {
    void* impl = nullptr;
    host_.check(table_->get(host_.c(), tensor, &impl));
    if (!impl) return {};
    return at::Tensor(Pointer::reclaim(static_cast<c10::TensorImpl*>(impl)));
  }
  at::Tensor get(const Tensor& tensor) const { return get(tensor.handle()); }

  // A borrowed handle, valid during this call from the host; 0 for an undefined tensor.
  Tensor put(const at::Tensor& tensor) const {
    broch_tensor handle = 0;
    void* impl = tensor.defined() ? tensor.unsafeGetTensorImpl() : nullptr;
    host_.check(table_->put(host_.c(), impl, &handle));
    return Tensor(ops_, handle);
  }

 private:
  using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

  Host host_;
  Ops* ops_;
  const broch_host_torch_cxx* table_;
};

}  // namespace v0
}  // namespace broch
