// @FILE@.cpp: a transform that multiplies the numbers of a point by a random factor near 1.
#include <broch/broch.hpp>

namespace {

struct Options {
  double amount;

  static constexpr auto schema = broch::options(
      broch::option("amount", &Options::amount, "How far from 1 the factor may be.")
          .minimum(0).maximum(1).by_default(0.1));
};

class @CLASS@ final : public broch::Transform {
 public:
  explicit @CLASS@(const Options& options) : amount_(options.amount) {}

  // Called on several threads at once. All random numbers come from draws.
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const float factor = float(draws.between(1 - amount_, 1 + amount_));
    for (uint32_t i = 0; i < in.size(); ++i) {
      const broch_dl_tensor tensor = in.view(i);
      if (broch::dtype_of(tensor.dtype) != BROCH_FLOAT32) {
        in.move(i, out);  // labels, for example
        continue;
      }
      const broch::View<const float> from = broch::view_as<const float>(tensor);
      float* to = out.allocate<float>({tensor.shape, tensor.shape + tensor.ndim}, in.name(i));
      for (size_t k = 0; k < from.size(); ++k) to[k] = factor * from[k];
    }
  }

 private:
  double amount_;
};

}  // namespace

BROCH_TRANSFORM(@CLASS@, "@ID@", "0.1.0", "Multiplies by a random factor near 1.", Options::schema)
