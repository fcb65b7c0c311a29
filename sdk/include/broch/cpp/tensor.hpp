// tensor.hpp: a borrowed tensor handle, together with the operators that apply to it.
#pragma once
#include <string>
#include <vector>

#include "host.hpp"

namespace broch {
inline namespace v0 {

class Ops;

// For example "(32, 1, 8, 8)" or "(32,)".
inline std::string shape_text(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (const int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + (shape.size() == 1 ? ",)" : ")");
}

// A borrowed handle: valid during the call from the host in which it was made. Retained keeps a
// tensor for longer.
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

inline std::vector<broch_tensor> handles_of(const std::vector<Tensor>& tensors) {
  std::vector<broch_tensor> handles;
  handles.reserve(tensors.size());
  for (const Tensor& tensor : tensors) handles.push_back(tensor.handle());
  return handles;
}
template <class Handles>
std::vector<Tensor> tensors_of(Ops& ops, const Handles& handles) {
  std::vector<Tensor> tensors;
  tensors.reserve(handles.size());
  for (const broch_tensor handle : handles) tensors.emplace_back(&ops, handle);
  return tensors;
}

}  // namespace v0
}  // namespace broch
