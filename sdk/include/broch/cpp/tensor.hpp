// tensor.hpp: a borrowed tensor handle, together with the operators that apply to it.
#pragma once
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

class Ops;

// For example "float32"; "dtype 77" for a code that value.h does not define.
inline std::string dtype_name(broch_dtype dtype) {
  const char* const names[] = {"float32", "float64", "float16",   "bfloat16",
                               "int8",    "int16",   "int32",     "int64",
                               "uint8",   "bool",    "complex64", "complex128"};
  if (dtype >= BROCH_FLOAT32 && dtype <= BROCH_COMPLEX128) return names[dtype - 1];
  return "dtype " + std::to_string(dtype);
}

// For example "(32, 1, 8, 8)" or "(32,)".
inline std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (const int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// A borrowed handle: valid during the call from the host in which it was made. retain of
// ext/tensor.h gives one that is valid for longer.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Ops* ops, broch_tensor handle) : ops_(ops), handle_(handle) {}
  broch_tensor handle() const { return handle_; }
  explicit operator bool() const { return handle_ != 0; }
  Ops& ops() const {
    if (!ops_) throw Error(BROCH_E_INVALID_ARGUMENT, "an undefined tensor has no operators");
    return *ops_;
  }

 private:
  Ops* ops_ = nullptr;
  broch_tensor handle_ = 0;
};

// Reads tensors as data. Inside a tower function, reading values prevents the tower from being
// recorded; info does not.
class TensorData {
 public:
  explicit TensorData(const Host& host)
      : host_(host), table_(host.require<broch_host_tensor>(BROCH_EXT_TENSOR)) {}

  broch_tensor_info info(broch_tensor tensor) const {
    broch_tensor_info info{};
    info.struct_size = sizeof info;
    host_.check(table_->info(host_.c(), tensor, &info));
    return info;
  }
  // The value of a tensor with one element.
  double item(broch_tensor tensor) const {
    double value = 0;
    host_.check(table_->item(host_.c(), tensor, &value));
    return value;
  }
  // All values, row-major, converted to the type.
  std::vector<double> doubles(broch_tensor tensor) const {
    return values<double>(tensor, BROCH_FLOAT64);
  }
  std::vector<float> floats(broch_tensor tensor) const {
    return values<float>(tensor, BROCH_FLOAT32);
  }
  std::vector<int64_t> integers(broch_tensor tensor) const {
    return values<int64_t>(tensor, BROCH_INT64);
  }

 private:
  template <class T>
  std::vector<T> values(broch_tensor tensor, broch_dtype dtype) const {
    std::vector<T> list(size_t(info(tensor).element_count));
    host_.check(table_->copy_out(host_.c(), tensor, dtype, list.data(), list.size() * sizeof(T)));
    return list;
  }

  Host host_;
  const broch_host_tensor* table_;
};

}  // namespace v0
}  // namespace broch
