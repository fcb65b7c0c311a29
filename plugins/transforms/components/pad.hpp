// pad.hpp: pads components with a constant value.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct PadOptions {
  JsonText components;
  std::vector<int64_t> before, after;
  double value;

  static constexpr auto schema = broch::options(
      broch::option("components", &PadOptions::components,
                    "The components to change: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("before", &PadOptions::before,
                    "Number of elements to add before the first one, for each dimension.")
          .minimum(0)
          .maximum(1 << 24),
      broch::option("after", &PadOptions::after,
                    "Number of elements to add after the last one, for each dimension.")
          .minimum(0)
          .maximum(1 << 24),
      broch::option("value", &PadOptions::value, "Their value.").by_default(0));
};

class Pad final : public ComponentTransform {
 public:
  Pad(const Host& host, const PadOptions& options)
      : ComponentTransform(host, "/components"), options_(options) {
    if (options.before.size() != options.after.size())
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/after: found " + std::to_string(options.after.size()) + " numbers, expected " +
                      std::to_string(options.before.size()) + " as in before");
  }

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    const size_t rank = component.rank();
    if (rank != options_.before.size())
      component.refuse(std::to_string(options_.before.size()) + " dimensions as in before");
    std::vector<int64_t> shape = component.shape();
    for (size_t d = 0; d < rank; ++d) shape[d] += options_.before[d] + options_.after[d];
    auto* const to =
        static_cast<char*>(out.allocate(component.view.dtype, shape.data(), rank, component.name));
    points::fill(to, component.dtype(), size_t(broch::element_count(shape.data(), rank)),
                 options_.value, component.what);
    if (component.count() > 0) copy(component, 0, component.bytes(), to, shape);
  }

  // Copies the block that begins at from in dimension d.
  void copy(const Component& component, size_t d, const char* from, char* to,
            const std::vector<int64_t>& shape) const {
    const size_t element = points::element_bytes(component.view);
    if (d == shape.size()) {
      std::memcpy(to, from, element);
      return;
    }
    const auto bytes_behind = [&](const int64_t* sizes) {
      return size_t(broch::element_count(sizes + d + 1, shape.size() - d - 1)) * element;
    };
    const size_t step = bytes_behind(component.view.shape), wide = bytes_behind(shape.data());
    const size_t n = size_t(component.view.shape[d]);
    to += size_t(options_.before[d]) * wide;
    if (d + 1 == shape.size()) {
      if (n > 0) std::memcpy(to, from, n * element);  // an empty one may have no address
      return;
    }
    for (size_t i = 0; i < n; ++i) copy(component, d + 1, from + i * step, to + i * wide, shape);
  }

  PadOptions options_;
};

}  // namespace broch::transforms
