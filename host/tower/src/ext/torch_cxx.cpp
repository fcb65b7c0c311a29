// torch_cxx.cpp: broch.torch_cxx: the at::Tensor of a handle, for plugins on the same LibTorch.
#include "broch/ext/torch_cxx.h"

#include "serving.hpp"

namespace broch::tower {
namespace {

constexpr const char* kGet = "broch.torch_cxx get";
constexpr const char* kPut = "broch.torch_cxx put";

broch_status get(const broch_host* host, broch_tensor tensor, void** impl) {
  return serve(host, kGet, kAnyRole, [&](Instance& instance) {
    *given(impl, kGet, "impl") = nullptr;
    if (!tensor) return BROCH_OK;
    Backend& backend = need<Backend>(instance, kGet);
    Valued value = resolve(backend, &instance, tensor, {kGet, "tensor"});
    if (Domain* domain = Domain::current()) {
      domain->add_foreign_tags(value.tags);
      if (TowerCall* call = domain->tower_call()) call->watch();
    }
    *impl = value.tensor.take();
    return BROCH_OK;
  });
}

broch_status put(const broch_host* host, void* impl, broch_tensor* tensor) {
  return serve(host, kPut, kAnyRole, [&](Instance& instance) {
    Backend& backend = need<Backend>(instance, kPut);
    const Domain* domain = Domain::current();
    *given(tensor, kPut, "tensor") =
        lend(Tensor::share(impl, &backend.counting()), domain ? domain->foreign_tags() : 0);
    return BROCH_OK;
  });
}

constexpr broch_host_torch_cxx kTable{sizeof(broch_host_torch_cxx), 0, get, put};

}  // namespace

const void* torch_cxx_table() { return &kTable; }

}  // namespace broch::tower
