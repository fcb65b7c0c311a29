// tensor_data.hpp: tensors as data: looks at them, makes them of memory, and keeps them.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "host.hpp"
#include "view.hpp"

namespace broch {
inline namespace v0 {

// Reads and makes tensors; see ext/tensor.h. Inside a tower function, reading values prevents the
// tower from being recorded; info does not.
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

  // The memory of a tensor on the CPU, without a copy; borrowed as long as the handle.
  broch_dl_tensor view(broch_tensor tensor) const {
    broch_dl_tensor view{};
    host_.check(table_->view(host_.c(), tensor, &view));
    return view;
  }
  // The same as elements: view<float>(x). Throws Error if the dtype is another one.
  template <class T>
  View<const T> view(broch_tensor tensor) const {
    return view_as<const T>(view(tensor));
  }

  // A new tensor with a copy of the values, row-major, outside tower functions.
  broch_tensor from_data(const broch_dl_tensor& data) const {
    broch_tensor tensor = 0;
    host_.check(table_->from_data(host_.c(), &data, &tensor));
    return tensor;
  }
  template <class T>
  broch_tensor from_data(const std::vector<T>& values, std::vector<int64_t> shape) const {
    return from_data(dl_view(values, shape));
  }
  // A new tensor on memory that is taken: the host calls the deleter, even on failure.
  broch_tensor from_dlpack(broch_dl_managed* taken) const {
    broch_tensor tensor = 0;
    host_.check(table_->from_dlpack(host_.c(), taken, &tensor));
    return tensor;
  }
  struct Delete {
    void operator()(broch_dl_managed* data) const {
      if (data->deleter) data->deleter(data);
    }
  };
  using Managed = std::unique_ptr<broch_dl_managed, Delete>;
  // Shares the memory with other code. The tensor must not require a gradient.
  Managed to_dlpack(broch_tensor tensor) const {
    broch_dl_managed* data = nullptr;
    host_.check(table_->to_dlpack(host_.c(), tensor, &data));
    return Managed(data);
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

// Copies of tensors that stay valid, on all threads of the instance, until they are replaced or the
// object is destroyed. For tensors of one call that another call or another thread needs.
class Retained {
 public:
  explicit Retained(const Host& host)
      : host_(host), table_(host.require<broch_host_tensor>(BROCH_EXT_TENSOR)) {}
  ~Retained() { clear(); }
  Retained(Retained&& other) noexcept
      : host_(other.host_), table_(other.table_), owned_(std::exchange(other.owned_, {})) {}
  Retained& operator=(Retained&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(table_, other.table_);
    std::swap(owned_, other.owned_);
    return *this;
  }

  // Keeps these tensors with their current values, instead of those before.
  void keep(const std::vector<broch_tensor>& tensors) {
    clear();
    for (const broch_tensor tensor : tensors)
      host_.check(table_->retain(host_.c(), tensor, &owned_.emplace_back()));
  }
  const std::vector<broch_tensor>& handles() const { return owned_; }
  broch_tensor operator[](size_t index) const { return owned_.at(index); }
  void clear() {
    for (const broch_tensor tensor : owned_) table_->release(host_.c(), tensor);
    owned_.clear();
  }

 private:
  Host host_;
  const broch_host_tensor* table_;
  std::vector<broch_tensor> owned_;
};

}  // namespace v0
}  // namespace broch
