// adafactor.cpp: Adam without a mean of gradients, which keeps of the mean of squares only its
// means over rows and over columns. Source: Shazeer & Stern 2018, "Adafactor: Adaptive Learning
// Rates with Sublinear Memory Cost", https://arxiv.org/abs/1804.04235, algorithms 4 to 6.
#include <broch/broch.hpp>

namespace {

struct Options {
  double learning_rate, beta2_decay, eps2, clip, weight_decay;
  std::optional<double> eps1;

  static constexpr auto schema = broch::options(
      broch::option("learning_rate", &Options::learning_rate,
                    "Largest step, as part of the root mean square of the weights; from update "
                    "1 / learning_rate^2 on, a step t has 1 / sqrt(t).")
          .minimum(0)
          .by_default(0.01),
      broch::option("beta2_decay", &Options::beta2_decay,
                    "In update t the mean of squares takes t^-beta2_decay of the new square.")
          .above(0)
          .by_default(0.8),
      broch::option("eps1", &Options::eps1, "Added to the squares of gradients; null: 1e-30.")
          .above(0),
      broch::option("eps2", &Options::eps2,
                    "The least root mean square of weights that steps are measured by.")
          .minimum(0)
          .by_default(1e-3),
      broch::option("clip", &Options::clip,
                    "The largest root mean square of a direction; longer ones are scaled down.")
          .above(0)
          .by_default(1),
      broch::option("weight_decay", &Options::weight_decay,
                    "In each update the weights lose so many times learning_rate of themselves.")
          .minimum(0)
          .by_default(0));
};

class Adafactor final : public broch::Optimizer {
 public:
  Adafactor(const broch::Host& host, const Options& options) : Optimizer(host), options_(options) {}

  Spec spec() override {
    return {{{"learning_rate", options_.learning_rate},
             {"beta2_decay", options_.beta2_decay},
             {"eps1", options_.eps1.value_or(1e-30)},
             {"eps2", options_.eps2},
             {"clip", options_.clip},
             {"weight_decay", options_.weight_decay}},
            {{"rows", 0}, {"columns", 0}, {"squares", 0}}};
  }

  // The last two dimensions are rows and columns. Variables with fewer dimensions have the mean of
  // squares itself. Slots that are not needed have one element.
  std::vector<int64_t> slot_shape(size_t slot, const std::vector<int64_t>& shape) override {
    const bool factored = shape.size() > 1;
    if (slot == kSquares) return factored ? std::vector<int64_t>() : shape;
    if (!factored) return {};
    std::vector<int64_t> means = shape;
    means.erase(means.end() - (slot == kRows ? 1 : 2));
    return means;
  }

  void update(broch::Tower& scope, std::vector<broch::Parameter>& parameters,
              const std::vector<broch::Tensor>& hyper_params,
              const broch::Tensor& number) override {
    const broch::Tensor rate = hyper_params[0], eps2 = hyper_params[3], clip = hyper_params[4];
    const broch::Tensor t = ops().to_dtype(number, BROCH_FLOAT64);
    const broch::Tensor part = ops().pow(t, -hyper_params[1]);
    const broch::Tensor relative = ops().minimum(rate, ops().rsqrt(t));
    const broch::Tensor kept = broch::Scalar(1) - rate * hyper_params[5];
    for (broch::Parameter& parameter : parameters) {
      const broch::Tensor direction = direction_of(scope, parameter, hyper_params[2], part);
      const broch::Tensor scale = ops().maximum(rms(parameter.value), eps2) * relative /
                                  ops().clamp_min(rms(direction) / clip, broch::Scalar(1));
      parameter.value = parameter.value * kept - direction * scale;
    }
  }

 private:
  enum Slot : size_t { kRows, kColumns, kSquares };

  // Moves the means, and divides the gradient by the root of the squares that they stand for.
  broch::Tensor direction_of(broch::Tower& scope, broch::Parameter& parameter,
                             const broch::Tensor& eps, const broch::Tensor& part) {
    const broch::Tensor g = parameter.gradient, now = ops().square(g) + eps;
    const auto follow = [&](Slot slot, const broch::Tensor& value) {
      const broch::Tensor mean = parameter.slots[slot];
      return parameter.slots[slot] = mean + (value - mean) * part;
    };
    if (scope.shape(g).size() < 2) return g * ops().rsqrt(follow(kSquares, now));
    const broch::Tensor rows = follow(kRows, ops().mean_dim(now, {-1}));
    const broch::Tensor columns = follow(kColumns, ops().mean_dim(now, {-2}));
    // The product rows * columns itself may be too small for a float.
    const broch::Tensor by_row = ops().rsqrt(rows / ops().mean_dim(rows, {-1}, true));
    return g * ops().unsqueeze(by_row, -1) * ops().unsqueeze(ops().rsqrt(columns), -2);
  }
  broch::Tensor rms(const broch::Tensor& x) { return ops().sqrt(ops().mean(ops().square(x))); }

  Options options_;
};

}  // namespace

BROCH_OPTIMIZER(Adafactor, "broch.optimizer.adafactor", "1.0.0",
                "Adam with little memory: means of squares by row and by column.", Options::schema)
