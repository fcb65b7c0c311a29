// reshape.hpp: gives components another shape with the same number of elements.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct ReshapeOptions {
  JsonText components;
  std::vector<int64_t> shape;

  static constexpr auto schema = broch::options(
      broch::option("components", &ReshapeOptions::components,
                    "The components to change: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("shape", &ReshapeOptions::shape,
                    "The new shape; one dimension may be -1, which is computed from the others.")
          .minimum(-1));
};

class Reshape final : public ComponentTransform {
 public:
  Reshape(const Host& host, const ReshapeOptions& options)
      : ComponentTransform(host, "/components"), shape_(options.shape) {
    if (std::count(shape_.begin(), shape_.end(), -1) > 1)
      throw Error(BROCH_E_INVALID_ARGUMENT, "/shape: expected at most one -1");
  }

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    std::vector<int64_t> shape = shape_;
    const int64_t n = int64_t(component.count());
    const auto open = std::find(shape.begin(), shape.end(), -1);
    if (open != shape.end()) {
      *open = 1;
      const int64_t rest = broch::element_count(shape.data(), shape.size());
      *open = rest > 0 ? n / rest : 0;
    }
    if (broch::element_count(shape.data(), shape.size()) != n)
      component.refuse("as many elements as in " +
                       points::shape_text(shape_.data(), int32_t(shape_.size())));
    void* const to = out.allocate(component.view.dtype, shape.data(), shape.size(), component.name);
    // An empty component may have no address.
    if (n > 0)
      std::memcpy(to, component.bytes(), size_t(n) * points::element_bytes(component.view));
  }

  std::vector<int64_t> shape_;
};

}  // namespace broch::transforms
