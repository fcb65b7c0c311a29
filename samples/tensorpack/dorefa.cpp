// dorefa.cpp: a convolutional network whose weights, activations and gradients have few bits.
// Source: Zhou, Wu, Ni, Zhou, Wen and Zou, DoReFa-Net: training low bitwidth convolutional neural
// networks with low bitwidth gradients, 2016.
#include <broch/layers.hpp>
#include <cmath>

namespace {

using broch::Scalar;
using broch::Tensor;

constexpr int64_t kFull = 32;

struct Options {
  int64_t width, weight_bits, activation_bits, gradient_bits;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Channels of the first layer.")
          .minimum(1)
          .by_default(32),
      broch::option("weight_bits", &Options::weight_bits, "Bits of each weight; 32: as it is.")
          .minimum(1)
          .maximum(kFull)
          .by_default(1),
      broch::option("activation_bits", &Options::activation_bits,
                    "Bits of each number between layers; 32: as it is.")
          .minimum(1)
          .maximum(kFull)
          .by_default(2),
      broch::option("gradient_bits", &Options::gradient_bits,
                    "Bits of each number that is propagated back; 32: as it is.")
          .minimum(1)
          .maximum(kFull)
          .by_default(4));
};

// The number of steps between the least and the greatest of the numbers with so many bits.
double steps_of(int64_t bits) { return std::pow(2.0, double(bits)) - 1; }

// x from 0 to 1, rounded to numbers of so many bits. The gradient passes as if nothing was rounded.
class Rounded final : public broch::CustomFunction {
 public:
  static constexpr const char* kName = "rounded";
  static constexpr uint32_t kOutputs = 1;
  explicit Rounded(int64_t bits) : steps_(steps_of(bits)) {}
  std::vector<Tensor> forward(const broch::Saved&, const std::vector<Tensor>& x) override {
    return {x[0].ops().round(x[0] * Scalar(steps_)) / Scalar(steps_)};
  }
  std::vector<Tensor> backward(const broch::Saved&, const std::vector<Tensor>& dy) override {
    return dy;
  }

 private:
  double steps_;
};

// The sign of x, 1 for 0, times the mean of |x|. The gradient passes as if x had stayed.
class Sign final : public broch::CustomFunction {
 public:
  static constexpr const char* kName = "sign";
  static constexpr uint32_t kOutputs = 1;
  std::vector<Tensor> forward(const broch::Saved&, const std::vector<Tensor>& x) override {
    broch::Ops& ops = x[0].ops();
    const Tensor positive = ops.to_dtype(ops.ge(x[0], Scalar(0)), BROCH_FLOAT32);
    return {(positive * Scalar(2) - Scalar(1)) * ops.mean(ops.abs(x[0]))};
  }
  std::vector<Tensor> backward(const broch::Saved&, const std::vector<Tensor>& dy) override {
    return dy;
  }
};

// x as it is, whose gradient is rounded at random, up or down, to so many bits, between the largest
// number of its sample and its negative. Inputs: x, and noise from 0 to 1 of the same shape, since
// backward cannot draw.
class Coarse final : public broch::CustomFunction {
 public:
  static constexpr const char* kName = "coarse";
  static constexpr uint32_t kOutputs = 1;
  explicit Coarse(int64_t bits) : steps_(steps_of(bits)) {}
  std::vector<Tensor> forward(const broch::Saved& saved, const std::vector<Tensor>& in) override {
    saved.save({in[1]});
    return {in[0].ops().clone(in[0])};
  }
  std::vector<Tensor> backward(const broch::Saved& saved, const std::vector<Tensor>& dy) override {
    broch::Ops& ops = dy[0].ops();
    const Tensor largest = ops.clamp_min(ops.amax(ops.abs(dy[0]), {1, 2, 3}, true), Scalar(1e-20));
    const Tensor shift = (saved[0] - Scalar(0.5)) / Scalar(steps_);
    const Tensor x = ops.clamp(dy[0] / largest * Scalar(0.5) + Scalar(0.5) + shift, 0, 1);
    const Tensor rounded = ops.round(x * Scalar(steps_)) / Scalar(steps_);
    return {(rounded - Scalar(0.5)) * largest * Scalar(2), {}};
  }

 private:
  double steps_;
};

// Inputs: N images (N, 1, 8, 8) and their classes (N). The first and the last layer have all their
// bits. Publishes coarse_activation, what the last convolution reads.
class Dorefa final : public broch::Model {
 public:
  Dorefa(const broch::Host& host, const Options& options)
      : Model(host), options_(options), autograd_(host, ops()) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 8, 8}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  Tensor tower(broch::Tower& t, const std::vector<Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const int64_t width = options_.width;
    Tensor x = convolved(t, "conv1", inputs[0], width);
    {
      const auto few_bits = t.remap_variables([&](const std::string& name, const Tensor& value) {
        return name.back() == 'W' ? coarse_weight(value) : value;
      });
      x = convolved(t, "conv2", activated(t, "bn1", x), width);
      x = broch::max_pool2d(t, "pool1", activated(t, "bn2", x));
      x = convolved(t, "conv3", x, 2 * width);
      x = t.publish("coarse_activation", activated(t, "bn3", x));
      x = convolved(t, "conv4", x, 2 * width);
    }
    x = broch::global_avg_pool(t, "pool2", activated(t, "bn4", x));
    broch::FullyConnectedOptions last;
    last.units = 10;
    const Tensor logits = t.publish("logits", broch::fully_connected(t, "fc", x, last));
    const Tensor wrong = ops.ne(ops.argmax(logits, 1), inputs[1]);
    t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    return t.publish("cost", ops.cross_entropy_loss(logits, inputs[1]));
  }

 private:
  Tensor convolved(broch::Tower& t, const std::string& name, const Tensor& x,
                   int64_t channels) const {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.use_bias = false;
    const Tensor y = broch::conv2d(t, name, x, conv);
    if (options_.gradient_bits == kFull) return y;
    return autograd_.apply(Coarse(options_.gradient_bits), {y, t.ops().rand_like(y)})[0];
  }

  Tensor activated(broch::Tower& t, const std::string& name, const Tensor& x) const {
    const Tensor y = t.ops().clamp(broch::batch_norm(t, name, x), 0, 1);
    return options_.activation_bits == kFull
               ? y
               : autograd_.apply(Rounded(options_.activation_bits), {y})[0];
  }

  Tensor coarse_weight(const Tensor& weight) const {
    if (options_.weight_bits == kFull) return weight;
    if (options_.weight_bits == 1) return autograd_.apply(Sign(), {weight})[0];
    broch::Ops& ops = weight.ops();
    const Tensor x = ops.tanh(weight);
    const Tensor scaled = x / ops.max(ops.abs(x)) * Scalar(0.5) + Scalar(0.5);
    return autograd_.apply(Rounded(options_.weight_bits), {scaled})[0] * Scalar(2) - Scalar(1);
  }

  Options options_;
  broch::Autograd autograd_;
};

}  // namespace

BROCH_MODEL(Dorefa, "examples.dorefa", "1.0.0", "A network of numbers with few bits.",
            Options::schema)
