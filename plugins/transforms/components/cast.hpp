// cast.hpp: converts components to another dtype, x * scale + offset.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct CastOptions {
  JsonText components;
  Dtype dtype;
  double scale, offset;

  static constexpr auto schema = broch::options(
      broch::option("components", &CastOptions::components,
                    "The components to change: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("dtype", &CastOptions::dtype,
                    "The new dtype. Integers are rounded to the nearest, and limited to the range "
                    "of the dtype.")
          .one_of(BROCH_DTYPE_WORDS),
      broch::option("scale", &CastOptions::scale, "Factor, computed in float64.").by_default(1),
      broch::option("offset", &CastOptions::offset, "Added after scale.").by_default(0));
};

class Cast final : public ComponentTransform {
 public:
  Cast(const Host& host, const CastOptions& options)
      : ComponentTransform(host, "/components"), options_(options) {}

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    const broch_dtype dtype = dtype_of(options_.dtype);
    const std::vector<int64_t> shape = component.shape();
    void* const to = out.allocate(dl_type(dtype), shape.data(), shape.size(), component.name);
    const size_t n = component.count();
    const bool plain = options_.scale == 1 && options_.offset == 0;
    points::with_type(component.dtype(), component.what, [&](auto source) {
      const auto* const from = component.data<decltype(source)>();
      points::with_type(dtype, component.what, [&](auto target) {
        using From = decltype(source);
        using To = decltype(target);
        auto* const values = static_cast<To*>(to);
        if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
          if (plain) {  // exact also beyond 2^53
            for (size_t i = 0; i < n; ++i) values[i] = limited<To>(int64_t(from[i]));
            return;
          }
        }
        for (size_t i = 0; i < n; ++i)
          values[i] = points::converted<To>(double(from[i]) * options_.scale + options_.offset);
      });
    });
  }
  template <class To>
  static To limited(int64_t value) {
    if constexpr (std::is_same_v<To, bool>) {
      return value != 0;
    } else {
      using Limits = std::numeric_limits<To>;
      return To(std::clamp(value, int64_t(Limits::min()), int64_t(Limits::max())));
    }
  }

  CastOptions options_;
};

}  // namespace broch::transforms
