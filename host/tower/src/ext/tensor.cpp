// tensor.cpp: broch.tensor/1: reading, making and owning tensors.
#include "broch/ext/tensor.h"

#include "runtime/dlpack.hpp"
#include "serving.hpp"

namespace broch::tower {
namespace {

constexpr const char* kInfo = "broch.tensor/1 info";
constexpr const char* kItem = "broch.tensor/1 item";
constexpr const char* kView = "broch.tensor/1 view";
constexpr const char* kCopyOut = "broch.tensor/1 copy_out";
constexpr const char* kFromData = "broch.tensor/1 from_data";
constexpr const char* kFromDlpack = "broch.tensor/1 from_dlpack";
constexpr const char* kToDlpack = "broch.tensor/1 to_dlpack";
constexpr const char* kRetain = "broch.tensor/1 retain";
constexpr const char* kRelease = "broch.tensor/1 release";

Tensor look(Instance& instance, Backend& backend, broch_tensor handle, const char* function) {
  return resolve_to_look(backend, instance, handle, {function, "tensor"});
}

void refuse_inside(const char* function) {
  if (!Domain::current_id()) return;
  refuse(BROCH_E_FAILED_PRECONDITION, {.where = function,
                                       .found = "called inside a tower function",
                                       .expected = "a call outside: a tower computes from inputs, "
                                                   "variables and hyper-parameters alone",
                                       .hint = "make it a variable, or a constant(t)"});
}

broch_status info(const broch_host* host, broch_tensor tensor, broch_tensor_info* out) {
  return serve(host, kInfo, kAnyRole, [&](Instance& instance) {
    Backend& backend = need<Backend>(instance, kInfo);
    const TensorInfo info = backend.info(look(instance, backend, tensor, kInfo));
    broch_tensor_info full{};
    full.dtype = info.dtype;
    full.rank = info.shape.rank;
    full.requires_grad = info.requires_grad;
    std::ranges::copy(info.shape.span(), full.shape);
    full.element_count = info.shape.elements();
    full.device = {info.device.type, info.device.index};
    write_struct(out, full, kInfo, "info");
    return BROCH_OK;
  });
}

broch_status item(const broch_host* host, broch_tensor tensor, double* value) {
  return serve(host, kItem, kAnyRole, [&](Instance& instance) {
    given(value, kItem, "value");
    Backend& backend = need<Backend>(instance, kItem);
    const Tensor found = look(instance, backend, tensor, kItem);
    const Shape shape = backend.info(found).shape;
    if (shape.elements() != 1)
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = kItem,
                                        .found = "a tensor of shape " + to_string(shape),
                                        .expected = "one element",
                                        .hint = "use copy_out for more"});
    note_host_read("item");
    *value = backend.item(found);
    return BROCH_OK;
  });
}

broch_status view(const broch_host* host, broch_tensor tensor, broch_dl_tensor* out) {
  return serve(host, kView, kAnyRole, [&](Instance& instance) {
    given(out, kView, "view");
    Backend& backend = need<Backend>(instance, kView);
    note_host_read("view");
    *out = backend.view(look(instance, backend, tensor, kView));
    return BROCH_OK;
  });
}

broch_status copy_out(const broch_host* host, broch_tensor tensor, broch_dtype dtype, void* bytes,
                      uint64_t size) {
  return serve(host, kCopyOut, kAnyRole, [&](Instance& instance) {
    Backend& backend = need<Backend>(instance, kCopyOut);
    const Tensor found = look(instance, backend, tensor, kCopyOut);
    const TensorInfo info = backend.info(found);
    if (!dtype) dtype = info.dtype;
    const uint64_t item = dtype_size(dtype);
    const uint64_t expected = static_cast<uint64_t>(info.shape.elements()) * item;
    if (!item || size != expected)
      refuse(BROCH_E_INVALID_ARGUMENT,
             {.where = kCopyOut,
              .found = item ? std::to_string(size) + " bytes" : "dtype " + std::to_string(dtype),
              .expected = item ? std::to_string(expected) + " for " + to_string(info.shape) +
                                     " as " + dtype_name(dtype)
                               : "a code of value.h, or 0",
              .hint = "ask info for the number of elements"});
    if (size) given(bytes, kCopyOut, "bytes");
    note_host_read("copy_out");
    backend.copy_out(found, dtype, bytes, size);
    return BROCH_OK;
  });
}

broch_status from_data(const broch_host* host, const broch_dl_tensor* data, broch_tensor* out) {
  return serve(host, kFromData, kAnyRole, [&](Instance& instance) {
    refuse_inside(kFromData);
    given(out, kFromData, "tensor");
    Backend& backend = need<Backend>(instance, kFromData);
    *out = lend(backend.copy_in(*given(data, kFromData, "data"), {}), 0);
    return BROCH_OK;
  });
}

broch_status from_dlpack(const broch_host* host, broch_dl_managed* data, broch_tensor* out) {
  DlpackOwner owner(data);
  return serve(host, kFromDlpack, kAnyRole, [&](Instance& instance) {
    refuse_inside(kFromDlpack);
    given(out, kFromDlpack, "tensor");
    given(data, kFromDlpack, "data");
    Backend& backend = need<Backend>(instance, kFromDlpack);
    check_dl_version(*data);
    const Device device = describe_dl(data->dl_tensor).device;
    *out = lend(backend.take(owner.release(), device), 0);
    return BROCH_OK;
  });
}

broch_status to_dlpack(const broch_host* host, broch_tensor tensor, broch_dl_managed** out) {
  return serve(host, kToDlpack, kAnyRole, [&](Instance& instance) {
    given(out, kToDlpack, "data");
    Backend& backend = need<Backend>(instance, kToDlpack);
    const Tensor found = look(instance, backend, tensor, kToDlpack);
    if (backend.info(found).requires_grad)
      refuse(BROCH_E_FAILED_PRECONDITION, {.where = kToDlpack,
                                           .found = "a tensor that requires a gradient",
                                           .expected = "one without",
                                           .hint = "export what detach or no_grad gives"});
    note_host_read("to_dlpack");
    *out = backend.share_out(found);
    return BROCH_OK;
  });
}

broch_status retain(const broch_host* host, broch_tensor tensor, broch_tensor* out) {
  return serve(host, kRetain, kAnyRole, [&](Instance& instance) {
    given(out, kRetain, "owned");
    Backend& backend = need<Backend>(instance, kRetain);
    const Tensor found = look(instance, backend, tensor, kRetain);
    Tensor copy = backend.copy(found, backend.info(found).device);
    const Counting& counting = backend.counting();
    *out = instance.handles().add(abi::Kind::owned_tensor,
                                  {copy.take(), counting.release, counting.retain});
    return BROCH_OK;
  });
}

broch_status release(const broch_host* host, broch_tensor tensor) {
  return serve(host, kRelease, kNoScope, [&](Instance& instance) {
    if (!tensor) return BROCH_OK;
    const abi::Kind kind = abi::handle_kind(tensor);
    const bool gone = kind == abi::Kind::owned_tensor ? instance.handles().remove(tensor)
                      : kind == abi::Kind::tensor     ? abi::Arena::of_this_thread().drop(tensor)
                                                      : false;
    if (gone) return BROCH_OK;
    refuse(BROCH_E_INVALID_ARGUMENT,
           {.where = kRelease,
            .found = abi::explain(tensor, abi::Kind::tensor, "nothing to release"),
            .expected = "a tensor that was not released yet",
            .hint = "release each owned handle once, in the instance that retained it"});
  });
}

constexpr broch_host_tensor kTable{sizeof(broch_host_tensor),
                                   0,
                                   info,
                                   item,
                                   view,
                                   copy_out,
                                   from_data,
                                   from_dlpack,
                                   to_dlpack,
                                   retain,
                                   release};

}  // namespace

const void* tensor_table() { return &kTable; }

}  // namespace broch::tower
