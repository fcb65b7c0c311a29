// convnet.cpp: a small convolutional network for 28x28 images of clothes.
#include "clothes_features.hpp"

namespace {

struct Options {
  int64_t width;
  double label_smoothing;

  static constexpr auto schema = broch::options(
      broch::option("width", &Options::width, "Channels of the first layer; later ones have more.")
          .minimum(1)
          .by_default(32),
      broch::option("label_smoothing", &Options::label_smoothing,
                    "The part of each label that is spread over all classes.")
          .minimum(0)
          .maximum(1)
          .by_default(0));
};

// Inputs: N images (N, 1, 28, 28) and their classes (N).
class ConvNet final : public broch::Model {
 public:
  ConvNet(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 28, 28}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor label = inputs[1];
    const broch::Tensor x = fashion::clothes_features(t, inputs[0], options_.width);
    broch::FullyConnectedOptions last;
    last.units = 10;
    const broch::Tensor logits = t.publish("logits", broch::fully_connected(t, "fc", x, last));

    const broch::Tensor wrong = ops.ne(ops.argmax(logits, 1), label);
    const broch::Tensor incorrect =
        t.publish("incorrect_vector", ops.to_dtype(wrong, BROCH_FLOAT32));
    t.moving_summary("train_error", t.publish("train_error", ops.mean(incorrect)));
    return t.publish("cost", ops.cross_entropy_loss(logits, label, {}, BROCH_REDUCTION_MEAN, -100,
                                                    options_.label_smoothing));
  }

 private:
  Options options_;
};

}  // namespace

BROCH_MODEL(ConvNet, "fashion.convnet", "1.0.0", "A small convolutional network for 28x28 images.",
            Options::schema)
