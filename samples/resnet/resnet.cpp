// resnet.cpp: the residual networks for images of 32x32 pixels. Source: He, Zhang, Ren and Sun,
// Deep residual learning for image recognition, 2015, section 4.2.
#include <broch/layers.hpp>

namespace {

struct Options {
  int64_t blocks, classes;

  static constexpr auto schema = broch::options(
      broch::option("blocks", &Options::blocks,
                    "Residual blocks of each of the three stages: n gives 6 n + 2 layers.")
          .minimum(1)
          .by_default(3),
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
    broch::Tensor x = ops.relu(convolved(t, "conv0", inputs[0], 16, 1));
    for (int64_t stage = 0; stage < 3; ++stage)
      for (int64_t i = 0; i < options_.blocks; ++i) {
        const std::string name = "stage" + std::to_string(stage + 1) + "/block" + std::to_string(i);
        x = block(t, name, x, 16 << stage, stage > 0 && i == 0 ? 2 : 1);
      }
    broch::FullyConnectedOptions last;
    last.units = options_.classes;
    const broch::Tensor logits =
        broch::fully_connected(t, "fc", broch::global_avg_pool(t, "pool", x), last);
    t.publish("logits", logits);

    const broch::Tensor wrong = ops.ne(ops.argmax(logits, 1), label);
    const broch::Tensor incorrect =
        t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
    return t.publish("cost", ops.cross_entropy_loss(logits, label));
  }

 private:
  // Two convolutions, to whose result the input is added.
  static broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                             int64_t channels, int64_t stride) {
    const auto scope = t.scope(name);
    broch::Ops& ops = t.ops();
    broch::Tensor y = ops.relu(convolved(t, "conv1", x, channels, stride));
    y = convolved(t, "conv2", y, channels, 1);
    return ops.relu(y + (stride == 1 ? x : reduced(t, x, channels)));
  }

  static broch::Tensor convolved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                                 int64_t channels, int64_t stride) {
    const auto scope = t.scope(name);
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.stride = stride;
    conv.use_bias = false;
    return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv));
  }

  // Every second pixel, and zeros in the channels that x lacks: the paper's option A, which has no
  // variables.
  static broch::Tensor reduced(broch::Tower& t, const broch::Tensor& x, int64_t channels) {
    broch::Ops& ops = t.ops();
    const broch::Tensor pixels = ops.avg_pool2d(x, {1, 1}, {2, 2});
    return ops.constant_pad_nd(pixels, {0, 0, 0, 0, 0, channels - t.size(x, 1)});
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Resnet, "resnet.cifar", "1.0.0", "A residual network for images of 32x32 pixels.",
            Options::schema)
