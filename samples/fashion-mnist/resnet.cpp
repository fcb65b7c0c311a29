// resnet.cpp: a residual network for 28x28 images of clothes. Source of its blocks: He, Zhang, Ren
// and Sun, Deep residual learning for image recognition, 2015.
#include <broch/layers.hpp>

namespace {

struct Options {
  int64_t width, blocks;
  double label_smoothing;

  static constexpr auto schema = broch::options(
      broch::option(
          "width", &Options::width,
          "Channels of the first of three stages; each has twice those of the one before.")
          .minimum(1)
          .by_default(32),
      broch::option("blocks", &Options::blocks, "Blocks of each stage, of two convolutions each.")
          .minimum(1)
          .by_default(2),
      broch::option("label_smoothing", &Options::label_smoothing,
                    "The part of each label that is spread over all classes.")
          .minimum(0)
          .maximum(1)
          .by_default(0.1));
};

// Inputs: N images (N, 1, 28, 28) and their classes (N).
class Resnet final : public broch::Model {
 public:
  Resnet(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 28, 28}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor label = inputs[1];
    broch::Tensor x = ops.relu(convolved(t, "conv0", inputs[0], options_.width, 1));
    for (int64_t stage = 0; stage < 3; ++stage)
      for (int64_t i = 0; i < options_.blocks; ++i) {
        const std::string name = "stage" + std::to_string(stage + 1) + "/block" + std::to_string(i);
        x = block(t, name, x, options_.width << stage, stage > 0 && i == 0);
      }
    broch::FullyConnectedOptions last;
    last.units = 10;
    const broch::Tensor logits = t.publish(
        "logits", broch::fully_connected(t, "fc", broch::global_avg_pool(t, "pool", x), last));

    const broch::Tensor wrong = ops.ne(ops.argmax(logits, 1), label);
    const broch::Tensor incorrect =
        t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
    return t.publish("cost", ops.cross_entropy_loss(logits, label, {}, BROCH_REDUCTION_MEAN, -100,
                                                    options_.label_smoothing));
  }

 private:
  // Two convolutions, to whose result the input is added. The first block of a stage has twice the
  // channels of its input, and a quarter of its pixels.
  static broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                             int64_t channels, bool halves) {
    const auto scope = t.scope(name);
    broch::Ops& ops = t.ops();
    const broch::Tensor y = ops.relu(convolved(t, "conv1", x, channels, halves ? 2 : 1));
    const broch::Tensor residual = convolved(t, "conv2", y, channels, 1);
    return ops.relu(residual + (halves ? convolved(t, "shortcut", x, channels, 2, 1) : x));
  }

  static broch::Tensor convolved(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                                 int64_t channels, int64_t stride, int64_t kernel = 3) {
    const auto scope = t.scope(name);
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.kernel = kernel;
    conv.stride = stride;
    conv.use_bias = false;
    return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv));
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(Resnet, "fashion.resnet", "1.0.0", "A residual network for 28x28 images.",
            Options::schema)
