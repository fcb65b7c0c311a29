// random_apply_aug.cpp: applies a transform with a probability. tensorpack: `RandomApplyAug`.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildTransform aug;
  double prob;
  static constexpr auto schema =
      broch::options(broch::option("aug", &Options::aug, "The transform."),
                     broch::option("prob", &Options::prob, "The probability of applying it.")
                         .minimum(0)
                         .maximum(1));
};

class RandomApplyAug final : public broch::Transform {
 public:
  explicit RandomApplyAug(const Options& options) : options_(options) {
    if (options.aug.makes_many())
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/aug: found a transform that makes several points or none, expected one "
                         "that makes one point; put it into map itself");
  }
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    if (draws.chance(options_.prob)) return options_.aug.apply(in.key(), in.handle(), out.handle());
    for (uint32_t i = 0, count = in.size(); i < count; ++i) in.move(i, out);
  }

 private:
  Options options_;
};

}  // namespace

BROCH_TRANSFORM(RandomApplyAug, "broch.transform.random-apply-aug", "1.0.0",
                "Applies a transform with a probability.", Options::schema)
