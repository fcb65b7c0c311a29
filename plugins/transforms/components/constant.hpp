// constant.hpp: adds a component with the same value in each point, at the end.
#pragma once
#include "component_transform.hpp"

namespace broch::transforms {

struct ConstantOptions {
  double value;
  std::vector<int64_t> shape;
  Dtype dtype;
  std::optional<std::string> name;

  static constexpr auto schema = broch::options(
      broch::option("value", &ConstantOptions::value, "The value of all elements."),
      broch::option("shape", &ConstantOptions::shape, "The shape; []: one number.")
          .minimum(0)
          .by_default(),
      broch::option("dtype", &ConstantOptions::dtype, "The dtype of the elements.")
          .one_of(BROCH_DTYPE_WORDS)
          .by_default("float32"),
      broch::option("name", &ConstantOptions::name, "Its name; null in a point without names.")
          .min_length(1));
};

class Constant final : public Transform {
 public:
  explicit Constant(const ConstantOptions& options) : options_(options) {}
  void apply(PointReader& in, PointWriter& out, Draws) override {
    for (uint32_t i = 0, n = in.size(); i < n; ++i) in.move(i, out);
    const broch_dtype dtype = dtype_of(options_.dtype);
    const std::vector<int64_t>& shape = options_.shape;
    void* const to = out.allocate(dl_type(dtype), shape.data(), shape.size(),
                                  options_.name ? options_.name->c_str() : nullptr);
    points::fill(to, dtype, size_t(broch::element_count(shape.data(), shape.size())),
                 options_.value, "constant");
  }

 private:
  ConstantOptions options_;
};

}  // namespace broch::transforms
