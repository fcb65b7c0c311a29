// transpose.hpp: puts the dimensions of components into another order, such as [height, width,
// channels] into [channels, height, width].
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct TransposeOptions {
  JsonText components;
  std::vector<int64_t> order;

  static constexpr auto schema = broch::options(
      broch::option("components", &TransposeOptions::components,
                    "The components to change: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("order", &TransposeOptions::order,
                    "For each new dimension, the index of the old one, for example [2, 0, 1].")
          .minimum(0));
};

class Transpose final : public ComponentTransform {
 public:
  Transpose(const Host& host, const TransposeOptions& options)
      : ComponentTransform(host, "/components"), order_(options.order) {
    std::vector<int64_t> sorted = order_;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != int64_t(i))
        throw Error(BROCH_E_INVALID_ARGUMENT, "/order: expected each of the numbers 0 to " +
                                                  std::to_string(sorted.size() - 1) + " once");
  }

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    if (component.rank() != order_.size())
      component.refuse(std::to_string(order_.size()) + " dimensions as in order");
    const std::vector<int64_t> from = component.shape();
    std::vector<int64_t> strides(from.size(), 1), shape, steps;  // in elements
    for (size_t d = from.size(); d-- > 1;) strides[d - 1] = strides[d] * from[d];
    for (const int64_t d : order_) {
      shape.push_back(from[size_t(d)]);
      steps.push_back(strides[size_t(d)]);
    }
    char* to = static_cast<char*>(
        out.allocate(component.view.dtype, shape.data(), shape.size(), component.name));
    if (component.count() == 0) return;
    switch (points::element_bytes(component.view)) {
      case 1:
        return copy<1>(component.bytes(), shape.data(), steps.data(), shape.size(), to);
      case 2:
        return copy<2>(component.bytes(), shape.data(), steps.data(), shape.size(), to);
      case 4:
        return copy<4>(component.bytes(), shape.data(), steps.data(), shape.size(), to);
      case 8:
        return copy<8>(component.bytes(), shape.data(), steps.data(), shape.size(), to);
      default:
        return copy<16>(component.bytes(), shape.data(), steps.data(), shape.size(), to);
    }
  }

  // Writes the elements in the order of the new shape.
  template <size_t kBytes>
  static void copy(const char* from, const int64_t* shape, const int64_t* steps, size_t rank,
                   char*& to) {
    if (rank == 0) {
      std::memcpy(to, from, kBytes);
      to += kBytes;
      return;
    }
    const int64_t step = steps[0] * int64_t(kBytes);
    for (int64_t i = 0; i < shape[0]; ++i, from += step) {
      if (rank > 1) {
        copy<kBytes>(from, shape + 1, steps + 1, rank - 1, to);
        continue;
      }
      std::memcpy(to, from, kBytes);
      to += kBytes;
    }
  }

  std::vector<int64_t> order_;
};

}  // namespace broch::transforms
