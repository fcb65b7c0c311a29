// one_hot.hpp: class numbers become float32 vectors with a 1 at the index of the class and 0
// elsewhere. A new last dimension has the classes.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct OneHotOptions {
  JsonText components;
  int64_t classes;

  static constexpr auto schema = broch::options(
      broch::option("components", &OneHotOptions::components,
                    "The components with class numbers: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("classes", &OneHotOptions::classes, "Number of classes.")
          .minimum(1)
          .maximum(1 << 24));
};

class OneHot final : public ComponentTransform {
 public:
  OneHot(const Host& host, const OneHotOptions& options)
      : ComponentTransform(host, "/components"), classes_(options.classes) {}

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    std::vector<int64_t> shape = component.shape();
    shape.push_back(classes_);
    const size_t n = component.count(), classes = size_t(classes_);
    auto* const to = out.allocate<float>(shape, component.name);
    std::fill(to, to + n * classes, 0.0F);
    points::with_type(component.dtype(), component.what, [&](auto zero) {
      const auto* const from = component.data<decltype(zero)>();
      for (size_t i = 0; i < n; ++i) {
        const double number = double(from[i]);
        if (!(number >= 0 && number < double(classes_)) || number != std::floor(number))
          throw Error(BROCH_E_INVALID_ARGUMENT, component.what + ": found " + number_text(number) +
                                                    ", expected a class from 0 to " +
                                                    std::to_string(classes_ - 1));
        to[i * classes + size_t(number)] = 1;
      }
    });
  }

  int64_t classes_;
};

}  // namespace broch::transforms
