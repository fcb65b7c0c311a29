// digits.cpp: a small convolutional network for 8x8 images of digits.
#include <broch/layers.hpp>

namespace {

struct Options {
  int64_t width;
  double dropout, weight_decay;

  static constexpr auto schema =
      broch::options(broch::option("width", &Options::width, "Channels of the first layers.")
                         .minimum(1)
                         .by_default(32),
                     broch::option("dropout", &Options::dropout,
                                   "Share of the last features that is dropped in training.")
                         .minimum(0)
                         .below(1)
                         .by_default(0.5),
                     broch::option("weight_decay", &Options::weight_decay,
                                   "Factor of the sum of squares of all weights, halved.")
                         .minimum(0)
                         .by_default(0.0002));
};

// Inputs: N images (N, 1, 8, 8) with values from 0 to 1, and N labels from 0 to 9.
class ConvNet final : public broch::Model {
 public:
  ConvNet(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 8, 8}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor label = inputs[1];
    broch::Tensor x = inputs[0];
    x = block(t, "block1", x, options_.width);
    x = block(t, "block2", x, options_.width);
    x = broch::max_pool2d(t, "pool1", x);
    x = block(t, "block3", x, 2 * options_.width);
    x = broch::max_pool2d(t, "pool2", x);
    x = broch::dropout(t, "dropout", x, options_.dropout);
    broch::FullyConnectedOptions last;
    last.units = 10;
    last.weight = broch::Init::glorot_uniform();
    const broch::Tensor logits = broch::fully_connected(t, "fc", x, last);
    t.publish("logits", logits);

    const broch::Tensor wrong = ops.logical_not(ops.eq(ops.argmax(logits, 1), label));
    const broch::Tensor incorrect =
        t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    const broch::Tensor loss = t.publish("loss", ops.cross_entropy_loss(logits, label));
    const broch::Tensor decay =
        broch::regularize_cost(t, "/W$", broch::l2_regularizer(options_.weight_decay));
    const broch::Tensor cost = t.publish("cost", loss + decay);
    t.moving_summary("cost", cost);
    t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
    t.summary("image", show(ops, inputs[0]), BROCH_SHOW_IMAGE);
    t.summary("logits", logits, BROCH_SHOW_HISTOGRAM);
    return cost;
  }

  std::string optimizer() override {
    return R"({"use": "adam", "with": {"learning_rate": 0.002}})";
  }

 private:
  static broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                             int64_t channels) {
    const auto scope = t.scope(name);
    broch::Conv2dOptions conv;
    conv.channels = channels;
    conv.use_bias = false;
    broch::BatchNormOptions norm;
    norm.activation = broch::relu;
    return broch::batch_norm(t, "bn", broch::conv2d(t, "conv", x, conv), norm);
  }

  // The first image as (1, height, width, channels), 0 to 255.
  static broch::Tensor show(broch::Ops& ops, const broch::Tensor& images) {
    return ops.permute(ops.narrow(images, 0, 0, 1), {0, 2, 3, 1}) * broch::Scalar(255);
  }

  Options options_;
};

}  // namespace

BROCH_MODEL(ConvNet, "digits.convnet", "1.0.0", "A small convolutional network for 8x8 digits.",
            Options::schema)
