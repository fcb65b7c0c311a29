// stack.hpp: joins components of one shape into one, along a new dimension.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct StackOptions {
  JsonText components;
  int64_t dimension;
  std::optional<std::string> as;

  static constexpr auto schema = broch::options(
      broch::option("components", &StackOptions::components,
                    "The components to join, in this order: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_SCHEMA)
          .by_default(nullptr),
      broch::option("dimension", &StackOptions::dimension,
                    "The index of the new dimension; negative numbers count from the last one.")
          .by_default(0),
      broch::option("as", &StackOptions::as,
                    "The name of the result, which takes the place of the first component; null: "
                    "the name of the first component.")
          .min_length(1));
};

class Stack final : public Transform {
 public:
  Stack(const Host& host, const StackOptions& options)
      : dimension_(options.dimension), as_(options.as) {
    const Config config(host);
    if (config.has("/components")) components_ = points::component_names(config, "/components");
  }

  void apply(PointReader& in, PointWriter& out, Draws) override {
    const uint32_t n = in.size();
    std::vector<uint32_t> parts;
    for (const points::ComponentName& one : components_) parts.push_back(one.in(in));
    for (uint32_t i = 0; components_.empty() && i < n; ++i) parts.push_back(i);
    for (uint32_t i = 0; i < n; ++i) {
      if (!parts.empty() && i == parts[0])
        stack(in, parts, out);
      else if (std::find(parts.begin(), parts.end(), i) == parts.end())
        in.move(i, out);
    }
  }

 private:
  void stack(const PointReader& in, const std::vector<uint32_t>& parts, PointWriter& out) const {
    const Component first = component(in, parts[0]);
    std::vector<int64_t> shape = first.shape();
    const size_t d = dimension_of(dimension_, first, shape.size() + 1);
    const size_t outer = size_t(broch::element_count(shape.data(), d));
    const size_t block = size_t(broch::element_count(shape.data() + d, shape.size() - d)) *
                         points::element_bytes(first.view);
    const std::vector<int64_t> of_parts = shape;
    shape.insert(shape.begin() + int64_t(d), int64_t(parts.size()));
    auto* const to = static_cast<char*>(out.allocate(first.view.dtype, shape.data(), shape.size(),
                                                     as_ ? as_->c_str() : first.name));
    for (size_t p = 0; p < parts.size(); ++p) {
      const Component part = component(in, parts[p]);
      if (part.dtype() != first.dtype() || part.shape() != of_parts)
        part.refuse(dtype_name(first.dtype()) + points::shape_text(first.view) +
                    ", as the first component that is stacked");
      const char* const from = part.bytes();
      // An empty component may have no address.
      for (size_t i = 0; block > 0 && i < outer; ++i)
        std::memcpy(to + (i * parts.size() + p) * block, from + i * block, block);
    }
  }
  static Component component(const PointReader& in, uint32_t i) {
    const char* const name = in.name(i);
    return {in.view(i), name,
            "component " + (name ? "'" + std::string(name) + "'" : std::to_string(i))};
  }

  std::vector<points::ComponentName> components_;  // empty: all
  int64_t dimension_;
  std::optional<std::string> as_;
};

}  // namespace broch::transforms
