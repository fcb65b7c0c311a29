// dlpack.cpp: imports and exports tensors in plain memory.
#include "runtime/dlpack.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/dlpack.h>
#include <ATen/ops/empty.h>

#include <cstddef>
#include <memory>

#include "ahead.hpp"
#include "compiler/aten.hpp"
#include "program/allocator.hpp"
#include "record/key.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

// Our structs have the same fields as DLPack's, at the same places.
#define SAME(ours, theirs, member) static_assert(offsetof(ours, member) == offsetof(theirs, member))
static_assert(sizeof(broch_dl_managed) == sizeof(DLManagedTensorVersioned));
SAME(broch_dl_managed, DLManagedTensorVersioned, version.minor);
SAME(broch_dl_managed, DLManagedTensorVersioned, manager_ctx);
SAME(broch_dl_managed, DLManagedTensorVersioned, deleter);
SAME(broch_dl_managed, DLManagedTensorVersioned, flags);
SAME(broch_dl_managed, DLManagedTensorVersioned, dl_tensor);
static_assert(sizeof(broch_dl_tensor) == sizeof(DLTensor));
SAME(broch_dl_tensor, DLTensor, data);
SAME(broch_dl_tensor, DLTensor, device.device_type);
SAME(broch_dl_tensor, DLTensor, device.device_id);
SAME(broch_dl_tensor, DLTensor, ndim);
SAME(broch_dl_tensor, DLTensor, dtype.code);
SAME(broch_dl_tensor, DLTensor, dtype.bits);
SAME(broch_dl_tensor, DLTensor, dtype.lanes);
SAME(broch_dl_tensor, DLTensor, shape);
SAME(broch_dl_tensor, DLTensor, strides);
SAME(broch_dl_tensor, DLTensor, byte_offset);
#undef SAME
static_assert(int{BROCH_DL_CPU} == kDLCPU && int{BROCH_DL_CUDA} == kDLCUDA &&
              int{BROCH_DL_CUDA_HOST} == kDLCUDAHost);
static_assert(int{BROCH_DL_INT} == kDLInt && int{BROCH_DL_UINT} == kDLUInt &&
              int{BROCH_DL_FLOAT} == kDLFloat && int{BROCH_DL_BFLOAT} == kDLBfloat &&
              int{BROCH_DL_COMPLEX} == kDLComplex && int{BROCH_DL_BOOL} == kDLBool);
static_assert(BROCH_DL_READ_ONLY == DLPACK_FLAG_BITMASK_READ_ONLY &&
              BROCH_DL_IS_COPIED == DLPACK_FLAG_BITMASK_IS_COPIED);

constexpr uintptr_t kAlignment = 64;

[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& hint) {
  throw base::Error(base::Exit::data,
                    base::Diagnostic{"DLPack tensor", "found " + found, expected, hint});
}

c10::SmallVector<int64_t, 5> strides_of(const broch_dl_tensor& data, at::IntArrayRef shape) {
  if (!data.strides) {
    c10::SmallVector<int64_t, 5> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
    return strides;
  }
  const at::IntArrayRef strides(data.strides, shape.size());
  for (const int64_t stride : strides) {
    if (stride < 0) refuse("stride " + std::to_string(stride), "0 or more", "copy the data first");
  }
  return {strides.begin(), strides.end()};
}

using Owner = std::unique_ptr<broch_dl_managed, void (*)(broch_dl_managed*)>;

// A tensor on the memory of `data`. If there is an owner, the last use of the tensor calls its
// deleter; otherwise the memory must outlive the tensor.
at::Tensor alias(const Backend& backend, const broch_dl_tensor& data, Owner owner) {
  const TensorInfo info = describe_dl(data);
  if (const std::string why = backend.why_not(info.device); !why.empty()) {
    refuse("memory of " + to_string(info.device) + ": " + why, "memory of a device that is here",
           "copy the data to the CPU");
  }
  const at::ScalarType dtype = to_aten(info.dtype);
  const at::IntArrayRef shape(info.shape.dims.data(), info.shape.rank);
  const auto strides = strides_of(data, shape);
  void* first = static_cast<char*>(data.data) + data.byte_offset;
  if (reinterpret_cast<uintptr_t>(first) % c10::elementSize(dtype) != 0) {
    refuse("an address that is no multiple of " + std::to_string(c10::elementSize(dtype)),
           "elements where their type may stand", "copy the data to aligned memory");
  }
  const at::Device device = to_aten(info.device);
  const size_t bytes = at::detail::computeStorageNbytes(shape, strides, c10::elementSize(dtype));
  const auto give_back = [](void* given) { dl_delete(static_cast<broch_dl_managed*>(given)); };
  at::DataPtr memory =
      owner ? at::DataPtr(first, owner.release(), give_back, device) : at::DataPtr(first, device);
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      c10::Storage(c10::Storage::use_byte_size_t(), bytes, std::move(memory), nullptr, false),
      c10::DispatchKeySet(c10::computeDispatchKey(dtype, std::nullopt, device)),
      c10::scalarTypeToTypeMeta(dtype));
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(shape, strides);
  return tensor;
}

at::Tensor copied(const at::Tensor& source, Device device) {
  const c10::impl::ExcludeDispatchKeyGuard unseen(kRecordingKey);  // not part of a recording
  at::Tensor result = at::empty(source.sizes(), source.options().device(to_aten(device)),
                                at::MemoryFormat::Contiguous);
  return result.copy_(source);
}

// Kernels choose their method by alignment, so a copy makes results independent of where the memory
// came from. Kernels also must not write to memory that is read-only.
bool may_alias(const at::Tensor& tensor, uint64_t flags, Device device) {
  return tensor.device() == to_aten(device) && tensor.is_contiguous() && tensor.numel() != 0 &&
         !(flags & BROCH_DL_READ_ONLY) &&
         reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % kAlignment == 0;
}

at::Tensor exportable(const Tensor& tensor) {
  at::Tensor value = to_aten(tensor);
  if (value.layout() != at::kStrided || value.is_conj() || value.is_neg()) {
    refuse("a tensor without plain memory", "a strided tensor", "make it contiguous first");
  }
  if (value.dim() > BROCH_RANK_MAX) {
    refuse("rank " + std::to_string(value.dim()), "at most " + std::to_string(BROCH_RANK_MAX),
           "merge dimensions");
  }
  return value;
}

broch_dl_tensor described(const at::Tensor& value) {
  broch_dl_tensor data{};
  data.data = value.data_ptr();
  data.device = {value.is_cuda() ? BROCH_DL_CUDA : BROCH_DL_CPU,
                 value.is_cuda() ? value.device().index() : 0};
  data.ndim = static_cast<int32_t>(value.dim());
  data.dtype = to_dl(from_aten(value.scalar_type()));
  data.shape = const_cast<int64_t*>(value.sizes().data());
  data.strides = const_cast<int64_t*>(value.strides().data());
  return data;
}

struct Exported {
  broch_dl_managed managed{};
  at::Tensor tensor;
};

struct Staged {
  broch_dl_managed managed{};
  AheadCopy copy;
};

template <class Keeper>
void delete_keeper(broch_dl_managed* data) {
  delete static_cast<Keeper*>(data->manager_ctx);
}

// Describes a tensor of the keeper in its `managed`, whose deleter deletes the keeper.
template <class Keeper>
broch_dl_managed* handed_out(std::unique_ptr<Keeper>&& keeper, const at::Tensor& tensor) {
  broch_dl_managed& managed = keeper->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.manager_ctx = keeper.get();
  managed.deleter = delete_keeper<Keeper>;
  managed.dl_tensor = described(tensor);
  return &keeper.release()->managed;
}

// nullptr if `data` is not what stage returned.
const Staged* staged_in(const broch_dl_managed& data) {
  return data.deleter == delete_keeper<Staged> ? static_cast<const Staged*>(data.manager_ctx)
                                               : nullptr;
}

}  // namespace

Tensor TorchBackend::copy_in(const broch_dl_tensor& data, Device device) {
  return at_place("DLPack tensor", [&] {
    return from_aten(copied(alias(*this, data, {nullptr, dl_delete}), device));
  });
}

Tensor TorchBackend::take(broch_dl_managed* data, Device device) {
  Owner owner(data, dl_delete);
  return at_place("DLPack tensor", [&] {
    check_dl_version(*data);
    if (const Staged* const staged = staged_in(*data)) {
      await_copy(staged->copy);
      const at::Tensor& tensor = staged->copy.tensor;
      return from_aten(tensor.device() == to_aten(device) ? tensor : copied(tensor, device));
    }
    const at::Tensor tensor = alias(*this, data->dl_tensor, std::move(owner));
    return from_aten(may_alias(tensor, data->flags, device) ? tensor : copied(tensor, device));
  });
}

broch_dl_managed* TorchBackend::stage(broch_dl_managed* data, Device device) {
  Owner owner(data, dl_delete);
  return at_place("copy to " + to_string(device), [&] {
    check_dl_version(*data);
    const bool is_on_cpu = describe_dl(data->dl_tensor).device.type == BROCH_DL_CPU;
    if (device.type == BROCH_DL_CPU || !is_on_cpu) return owner.release();
    const at::Tensor source = alias(*this, data->dl_tensor, {nullptr, dl_delete});
    auto staged = std::make_unique<Staged>(
        Staged{.managed = {}, .copy = copy_ahead(source, to_aten(device))});
    return handed_out(std::move(staged), staged->copy.tensor);
  });
}

void TorchBackend::await_staged(const broch_dl_managed& data) {
  if (const Staged* const staged = staged_in(data)) await_copy(staged->copy);
}

broch_dl_managed* TorchBackend::share_out(const Tensor& tensor) {
  return at_place("DLPack tensor", [&] {
    auto exported = std::make_unique<Exported>();
    const at::Tensor value = exportable(tensor);
    if (value.requires_grad()) {
      refuse("a tensor that requires a gradient", "one that does not", "export what detach gives");
    }
    // The export keeps its shape if the tensor is resized, and its values if a recorded program
    // runs again.
    const bool passes = value.is_cpu() && is_planned_memory(value.const_data_ptr());
    exported->tensor = passes ? value.detach().clone() : value.detach();
    return handed_out(std::move(exported), exported->tensor);
  });
}

broch_dl_tensor TorchBackend::view(const Tensor& tensor) {
  return at_place("view", [&] { return described(exportable(tensor)); });
}

}  // namespace broch::libtorch
