// flatten.hpp: one point for each row of components. tensorpack: the function of `FlatMapData`.
//
// The number of the row is mixed into the key.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct FlattenOptions {
  JsonText components;
  static constexpr auto schema = broch::options(
      broch::option("components", &FlattenOptions::components,
                    "The components to divide into rows along their first dimension, by name or "
                    "index (from 0); null: all. The others are repeated in each point.")
          .schema(BROCH_COMPONENTS_SCHEMA)
          .by_default(nullptr));
};

class Flatten final : public ManyTransform {
 public:
  explicit Flatten(const Host& host) {
    const Config config(host);
    if (config.has("/components")) components_ = points::component_names(config, "/components");
  }

  void apply(PointReader& in, PointWriter& out, Draws) override {
    const uint32_t n = in.size();
    std::vector<bool> has_rows(n, components_.empty());
    for (const points::ComponentName& one : components_) has_rows[one.in(in)] = true;
    std::optional<int64_t> rows;
    for (uint32_t i = 0; i < n; ++i) {
      if (!has_rows[i]) continue;
      const Component component{in.view(i), nullptr, "component " + std::to_string(i)};
      if (component.rank() == 0) component.refuse("a first dimension, whose rows become points");
      if (rows && *rows != component.view.shape[0])
        component.refuse(std::to_string(*rows) + " rows, as in the component before");
      rows = component.view.shape[0];
    }
    for (int64_t row = 0; row < rows.value_or(0); ++row) {
      for (uint32_t i = 0; i < n; ++i) {
        broch_dl_tensor view = in.view(i);
        if (has_rows[i]) {
          const char* const bytes = points::bytes_of(view, "component " + std::to_string(i));
          const size_t size =
              points::element_count(view) * points::element_bytes(view) / size_t(*rows);
          view = dl_view(bytes + size_t(row) * size, view.dtype, view.shape + 1, view.ndim - 1);
        }
        out.add(view, in.name(i));
      }
      if (const uint64_t key = in.key()) out.set_key(mixed(key, uint64_t(row)));
      out.emit();
    }
  }

 private:
  std::vector<points::ComponentName> components_;  // empty: all
};

}  // namespace broch::transforms
