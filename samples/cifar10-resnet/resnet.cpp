// resnet.cpp: residual networks for images of 32x32 pixels, with batch norm and relu before each
// convolution. Sources: He, Zhang, Ren and Sun, Identity mappings in deep residual networks, 2016;
// tensorpack, examples/ResNet/cifar10-resnet.py, for the shortcuts and the first values.
#include <broch/layers.hpp>
#include <cmath>

namespace {

struct Options {
  int64_t blocks, classes;

  static constexpr auto schema = broch::options(
      broch::option("blocks", &Options::blocks,
                    "Residual blocks of each of the three stages: n gives 6 n + 2 layers.")
          .minimum(1)
          .by_default(5),
      broch::option("classes", &Options::classes, "Number of classes.").minimum(2).by_default(10));
};

// Inputs: N images (N, 3, 32, 32) and their classes (N).
class Resnet final : public broch::Model {
 public:
  Resnet(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 3, 32, 32}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor label = inputs[1];
    broch::Tensor x = normed(t, "bn0", convolved(t, "conv0", inputs[0], 16, 1));
    for (int64_t stage = 0; stage < 3; ++stage)
      for (int64_t i = 0; i < options_.blocks; ++i) {
        const auto scope =
            t.scope("stage" + std::to_string(stage + 1) + "/block" + std::to_string(i));
        x = block(t, x, stage == 0 && i == 0, stage > 0 && i == 0);
      }
    x = broch::global_avg_pool(t, "pool", normed(t, "bn_last", x));
    broch::FullyConnectedOptions last;
    last.units = options_.classes;
    const broch::Tensor logits = t.publish("logits", broch::fully_connected(t, "fc", x, last));

    const broch::Tensor wrong = ops.ne(ops.argmax(logits, 1), label);
    const broch::Tensor incorrect =
        t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
    return t.publish("cost", ops.cross_entropy_loss(logits, label));
  }

 private:
  // Two convolutions, to whose result the input is added as it is. The first block of all gets an
  // input that is normed already. The first block of a later stage doubles the channels, and halves
  // height and width.
  static broch::Tensor block(broch::Tower& t, const broch::Tensor& x, bool first, bool doubles) {
    const int64_t channels = t.size(x, 1) * (doubles ? 2 : 1);
    broch::Tensor y = first ? x : normed(t, "bn1", x);
    y = convolved(t, "conv1", y, channels, doubles ? 2 : 1);
    y = convolved(t, "conv2", normed(t, "bn2", y), channels, 1);
    return y + (doubles ? reduced(t, x) : x);
  }

  static broch::Tensor normed(broch::Tower& t, const std::string& name, const broch::Tensor& x) {
    broch::BatchNormOptions norm;
    norm.activation = broch::relu;
    return broch::batch_norm(t, name, x, norm);
  }

  static broch::Tensor convolved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                                 int64_t channels, int64_t stride) {
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.stride = stride;
    conv.use_bias = false;
    conv.weight = broch::Init::normal(0, std::sqrt(2.0 / (9.0 * double(channels))));
    return broch::conv2d(t, name, x, conv);
  }

  // The means of 2x2 pixels, between channels of zeros: a shortcut without variables.
  static broch::Tensor reduced(broch::Tower& t, const broch::Tensor& x) {
    const int64_t added = t.size(x, 1) / 2;
    return t.ops().constant_pad_nd(broch::avg_pool2d(t, "shortcut", x), {0, 0, 0, 0, added, added});
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Resnet, "cifar10.resnet", "1.0.0",
            "A residual network with preactivation for images of 32x32 pixels.", Options::schema)
