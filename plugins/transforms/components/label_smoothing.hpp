// label_smoothing.hpp: moves a part of the probability of the classes to all of them evenly:
// y * (1 - amount) + amount / classes. Source: Szegedy et al., "Rethinking the Inception
// Architecture for Computer Vision", 2016, section 7.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct LabelSmoothingOptions {
  JsonText components;
  double amount;

  static constexpr auto schema = broch::options(
      broch::option("components", &LabelSmoothingOptions::components,
                    "The components with probabilities, such as the result of one-hot, with the "
                    "classes in the last dimension: names or indices (from 0); null: all.")
          .schema(BROCH_COMPONENTS_APART_SCHEMA)
          .by_default(nullptr),
      broch::option("amount", &LabelSmoothingOptions::amount, "The part to distribute.")
          .minimum(0)
          .maximum(1)
          .by_default(0.1));
};

class LabelSmoothing final : public ComponentTransform {
 public:
  LabelSmoothing(const Host& host, const LabelSmoothingOptions& options)
      : ComponentTransform(host, "/components"), amount_(options.amount) {}

 private:
  void change(const Component& component, PointWriter& out, Draws&) override {
    if (component.dtype() != BROCH_FLOAT32 || component.rank() == 0)
      component.refuse("float32 with the classes in the last dimension: use one-hot before");
    const std::vector<int64_t> shape = component.shape();
    auto* const to = out.allocate<float>(shape, component.name);
    const auto* const from = component.data<float>();
    const double even = amount_ / double(shape.back());
    for (size_t i = 0, n = component.count(); i < n; ++i)
      to[i] = float(double(from[i]) * (1 - amount_) + even);
  }

  double amount_;
};

}  // namespace broch::transforms
