// dlpack.cpp: describes and copies memory of plugins.
#include "runtime/dlpack.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/error.hpp"
#include "buffer_pool.hpp"

namespace broch::runtime {
namespace {

[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& hint) {
  throw base::Error(base::Exit::data,
                    {.where = "DLPack tensor", .found = found, .expected = expected, .hint = hint});
}

constexpr broch_dl_version kVersion{1, 0};
constexpr size_t kAlignment = 64;  // in bytes; fast to load for CPU kernels

// The header of a tensor that the host allocates; the elements follow in the same allocation.
struct Owned {
  broch_dl_managed managed{};
  Shape shape;
  size_t bytes = 0;  // of the allocation
};

void delete_owned(broch_dl_managed* self) {
  const size_t bytes = static_cast<Owned*>(self->manager_ctx)->bytes;
  if (bytes >= kPooledBytes)
    give_back_buffer(self->manager_ctx, bytes);
  else
    operator delete(self->manager_ctx);
}

std::byte* aligned(std::byte* bytes) {
  const auto address = reinterpret_cast<uintptr_t>(bytes);
  return bytes + (kAlignment - address % kAlignment) % kAlignment;
}

// Elements that lie one after the other: those of dimension `axis` and the ones inside it.
struct Block {
  int32_t axis;
  size_t elements, item;  // item: bytes of an element
  size_t bytes() const { return elements * item; }
};

// The largest ones. For a compact tensor, that is all of it: other programs fill in its strides,
// too, and that of a dimension of size 1 means nothing.
Block largest_block(const broch_dl_tensor& data) {
  Block block{data.ndim, 1, dtype_size(from_dl(data.dtype))};
  while (block.axis > 0) {
    const int64_t size = data.shape[block.axis - 1];
    const bool follows = !data.strides || data.strides[block.axis - 1] == int64_t(block.elements);
    if (size != 1 && !follows) break;
    block.elements *= size_t(size);
    --block.axis;
  }
  return block;
}

// Copies dimension `axis` and the ones inside it. Returns the place for the next block.
std::byte* copy_axis(const broch_dl_tensor& data, int32_t axis, const std::byte* from,
                     const Block& block, std::byte* to) {
  if (axis == block.axis) {
    std::memcpy(to, from, block.bytes());
    return to + block.bytes();
  }
  for (int64_t i = 0; i < data.shape[axis]; ++i)
    to = copy_axis(data, axis + 1, from + i * data.strides[axis] * int64_t(block.item), block, to);
  return to;
}

}  // namespace

TensorInfo describe_dl(const broch_dl_tensor& data) {
  TensorInfo info;
  if (data.ndim < 0 || data.ndim > BROCH_RANK_MAX)
    refuse(std::to_string(data.ndim) + " dimensions", "0 to 8", "flatten some of them");
  info.dtype = from_dl(data.dtype);
  if (!info.dtype)
    refuse("element type code " + std::to_string(data.dtype.code) + ", " +
               std::to_string(data.dtype.bits) + " bits, " + std::to_string(data.dtype.lanes) +
               " lanes",
           "a type of value.h, one lane", "convert it");
  if (data.ndim > 0 && !data.shape) refuse("no shape", "one number per dimension", "set shape");
  info.shape.rank = static_cast<uint32_t>(data.ndim);
  int64_t elements = 1;
  for (int32_t i = 0; i < data.ndim; ++i) {
    const int64_t dim = info.shape.dims[i] = data.shape[i];
    if (dim < 0)
      refuse("dimension " + std::to_string(i) + " = " + std::to_string(dim), "0 or more",
             "pass the size in elements");
    if (__builtin_mul_overflow(elements, dim, &elements) || elements > INT64_MAX / 16)
      refuse("more elements than memory can hold, " + to_string(info.shape), "a smaller shape",
             "check the shape");
  }
  if (elements > 0 && !data.data)
    refuse("no memory for " + std::to_string(elements) + " elements", "a data pointer", "set data");
  if (data.device.device_type != BROCH_DL_CPU && data.device.device_type != BROCH_DL_CUDA &&
      data.device.device_type != BROCH_DL_CUDA_HOST)
    refuse("device type " + std::to_string(data.device.device_type), "1 (CPU) or 2 (CUDA)",
           "set device.device_type");
  const bool cuda = data.device.device_type == BROCH_DL_CUDA;
  info.device = {cuda ? BROCH_DL_CUDA : BROCH_DL_CPU, cuda ? data.device.device_id : 0};
  return info;
}

void check_dl_version(const broch_dl_managed& data) {
  if (data.version.major != kVersion.major)
    refuse(
        "version " + std::to_string(data.version.major) + "." + std::to_string(data.version.minor),
        "version 1", "set version to {1, 0}, or export it with dlpack.h of this host");
}

size_t dl_bytes(const broch_dl_tensor& data) {
  size_t bytes = dtype_size(from_dl(data.dtype));
  for (int32_t i = 0; i < data.ndim; ++i) bytes *= static_cast<size_t>(data.shape[i]);
  return bytes;
}

void dl_copy(const broch_dl_tensor& data, void* bytes) {
  if (dl_bytes(data) == 0) return;
  const auto* from = static_cast<const std::byte*>(data.data) + data.byte_offset;
  copy_axis(data, 0, from, largest_block(data), static_cast<std::byte*>(bytes));
}

broch_dl_managed* dl_allocate(broch_dtype dtype, const Shape& shape) {
  const size_t size = static_cast<size_t>(shape.elements()) * dtype_size(dtype);
  const size_t bytes = sizeof(Owned) + kAlignment + size;
  auto* const memory =
      static_cast<std::byte*>(bytes >= kPooledBytes ? take_buffer(bytes) : operator new(bytes));
  auto* const owned = new (memory) Owned{.managed = {}, .shape = shape, .bytes = bytes};
  broch_dl_managed& managed = owned->managed;
  managed.version = kVersion;
  managed.manager_ctx = owned;
  managed.deleter = delete_owned;
  managed.dl_tensor.data = aligned(memory + sizeof(Owned));
  managed.dl_tensor.device = {BROCH_DL_CPU, 0};
  managed.dl_tensor.ndim = static_cast<int32_t>(shape.rank);
  managed.dl_tensor.dtype = to_dl(dtype);
  managed.dl_tensor.shape = owned->shape.dims.data();
  return &managed;
}

broch_dl_managed* dl_clone(const broch_dl_tensor& data) {
  Shape shape;
  shape.rank = static_cast<uint32_t>(data.ndim);
  std::copy_n(data.shape, data.ndim, shape.dims.begin());
  broch_dl_managed* copy = dl_allocate(from_dl(data.dtype), shape);
  dl_copy(data, copy->dl_tensor.data);
  copy->flags = BROCH_DL_IS_COPIED;
  return copy;
}

void dl_delete(broch_dl_managed* data) {
  if (data && data->deleter) data->deleter(data);
}

}  // namespace broch::runtime
