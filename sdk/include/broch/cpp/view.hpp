// view.hpp: memory that belongs to somebody else: lists, and the elements of tensors.
#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "dtype.hpp"

namespace broch {
inline namespace v0 {

// A list of elements that lie one behind the other, borrowed. C++20: `std::span`.
template <class T>
class View {
 public:
  View() = default;
  View(T* data, size_t size) : data_(data), size_(size) {}
  T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](size_t index) const { return data_[index]; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// The product of the sizes of all dimensions.
inline int64_t element_count(const int64_t* shape, size_t rank) {
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) elements *= shape[i];
  return elements;
}

// A view of row-major CPU memory. data and shape (rank elements, the size of each dimension) are
// borrowed.
inline broch_dl_tensor dl_view(const void* data, broch_dl_type type, int64_t* shape, int32_t rank) {
  broch_dl_tensor view{};
  view.data = const_cast<void*>(data);
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = rank;
  view.dtype = type;
  view.shape = shape;
  return view;
}
// The same for values. Throws Error if their number is not the product of shape.
template <class T>
broch_dl_tensor dl_view(const std::vector<T>& values, std::vector<int64_t>& shape) {
  const int64_t elements = element_count(shape.data(), shape.size());
  if (elements != int64_t(values.size()))
    throw Error(BROCH_E_INVALID_ARGUMENT, std::to_string(values.size()) +
                                              " values for a shape of " + std::to_string(elements));
  return dl_view(values.data(), dl_type(dtype_of(T{})), shape.data(), int32_t(shape.size()));
}

// Whether the elements lie one behind the other, row-major.
inline bool is_compact(const broch_dl_tensor& tensor) {
  if (element_count(tensor.shape, size_t(tensor.ndim)) == 0) return true;
  int64_t stride = 1;
  for (int32_t i = tensor.strides ? tensor.ndim : 0; i-- > 0; stride *= tensor.shape[i])
    if (tensor.shape[i] > 1 && tensor.strides[i] != stride) return false;
  return true;
}

// The elements of a tensor in CPU memory, row-major: view_as<const float>(x). Throws Error if the
// tensor has another dtype, gaps, or memory of another device.
template <class T>
View<T> view_as(const broch_dl_tensor& tensor) {
  const broch_dtype expected = dtype_of(std::remove_const_t<T>{}), found = dtype_of(tensor.dtype);
  if (found != expected)
    throw Error(BROCH_E_INVALID_ARGUMENT, "found elements of " + dtype_name(found) + ", expected " +
                                              dtype_name(expected) +
                                              ": convert them, or view them as what they are");
  if (tensor.device.device_type != BROCH_DL_CPU)
    throw Error(BROCH_E_INVALID_ARGUMENT,
                "found memory of a device, expected that of the CPU: copy the tensor out");
  if (!is_compact(tensor))
    throw Error(BROCH_E_INVALID_ARGUMENT,
                "found a tensor with gaps, expected compact memory: copy the tensor out");
  return {reinterpret_cast<T*>(static_cast<char*>(tensor.data) + tensor.byte_offset),
          size_t(element_count(tensor.shape, size_t(tensor.ndim)))};
}

}  // namespace v0
}  // namespace broch
