// tensor.hpp: a counted reference to a tensor of any backend, without LibTorch's headers.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "broch/ext/tensor.h"
#include "broch/value.h"

namespace broch::runtime {

// Such as "cpu:0" or "cuda:1". Several CPU devices are only logical: one for each tower.
struct Device {
  int32_t type = BROCH_DL_CPU;  // BROCH_DL_CPU or BROCH_DL_CUDA
  int32_t index = 0;
  bool operator==(const Device&) const = default;
};
std::string to_string(Device device);

const char* dtype_name(broch_dtype dtype);  // "float32"
size_t dtype_size(broch_dtype dtype);       // in bytes; 0 for an unknown code
broch_dl_type to_dl(broch_dtype dtype);
broch_dtype from_dl(broch_dl_type type);  // 0 if there is no such dtype
inline bool is_floating(broch_dtype dtype) {
  return dtype >= BROCH_FLOAT32 && dtype <= BROCH_BFLOAT16;
}
inline bool has_gradient(broch_dtype dtype) {
  return is_floating(dtype) || dtype == BROCH_COMPLEX64 || dtype == BROCH_COMPLEX128;
}

// Up to BROCH_RANK_MAX dimensions, without allocation.
struct Shape {
  uint32_t rank = 0;
  std::array<int64_t, BROCH_RANK_MAX> dims{};
  std::span<const int64_t> span() const { return {dims.data(), rank}; }
  int64_t elements() const;
  bool operator==(const Shape& other) const;
};
std::string to_string(const Shape& shape);                     // "(32, 1, 8, 8)"
std::string type_text(broch_dtype dtype, const Shape& shape);  // "float32 (32, 1, 8, 8)"

struct TensorInfo {
  broch_dtype dtype = 0;
  Shape shape;
  Device device;
  bool requires_grad = false;
};

// How a backend counts references to its tensors.
struct Counting {
  void (*retain)(void* impl);
  void (*release)(void* impl);
};

class Tensor {
 public:
  Tensor() = default;
  // Takes over one reference.
  Tensor(void* impl, const Counting* counting) : impl_(impl), counting_(counting) {}
  // Adds one reference.
  static Tensor share(void* impl, const Counting* counting) {
    if (impl) counting->retain(impl);
    return {impl, counting};
  }
  Tensor(const Tensor& other) : impl_(other.impl_), counting_(other.counting_) {
    if (impl_) counting_->retain(impl_);
  }
  Tensor(Tensor&& other) noexcept
      : impl_(std::exchange(other.impl_, nullptr)), counting_(other.counting_) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(impl_, other.impl_);
    std::swap(counting_, other.counting_);
    return *this;
  }
  ~Tensor() {
    if (impl_) counting_->release(impl_);
  }

  void* impl() const { return impl_; }
  const Counting* counting() const { return counting_; }
  void* take() { return std::exchange(impl_, nullptr); }  // passes on its reference
  explicit operator bool() const { return impl_ != nullptr; }

 private:
  void* impl_ = nullptr;
  const Counting* counting_ = nullptr;
};

}  // namespace broch::runtime
