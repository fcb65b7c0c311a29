// by_hand.cpp: the models of sequential_test.cpp as somebody would write them in C++.
#include <broch/layers.hpp>

namespace {

using namespace broch;

class Mlp final : public Model {
 public:
  explicit Mlp(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 3}, {"B", ""}}, {"y", BROCH_FLOAT32, {-1}, {"B"}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    FullyConnectedOptions hidden;
    hidden.units = 5;
    hidden.activation = broch::tanh;
    FullyConnectedOptions last;
    last.units = 1;
    Tensor x = fully_connected(t, "fully_connected_1", inputs[0], hidden);
    x = fully_connected(t, "out", x, last);
    return t.publish("cost", t.ops().mse_loss(t.ops().squeeze(x, -1), inputs[1]));
  }
};

class Cnn final : public Model {
 public:
  explicit Cnn(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 8, 8}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    Ops& ops = t.ops();
    Conv2dOptions conv;
    conv.channels = 6;
    conv.use_bias = false;
    BatchNormOptions norm;
    norm.activation = relu;
    Tensor x = batch_norm(t, "batch_norm_1", conv2d(t, "conv2d_1", inputs[0], conv), norm);
    for (const std::string i : {"0", "1"}) {
      const auto outer = t.scope("blocks");
      const auto inner = t.scope(i);
      const auto residual = t.scope("residual_1");
      const Tensor y = batch_norm(t, "batch_norm_1", conv2d(t, "conv2d_1", x, conv), norm);
      x = relu(x + y);
    }
    x = max_pool2d(t, "pool", x);
    x = dropout(t, "dropout_1", x, 0.25);
    FullyConnectedOptions last;
    last.units = 10;
    last.weight = Init::glorot_uniform();
    const Tensor logits = fully_connected(t, "out", x, last);
    const Tensor loss =
        ops.cross_entropy_loss(logits, inputs[1], {}, BROCH_REDUCTION_MEAN, -100, 0.1);
    return t.publish("cost", loss + regularize_cost(t, "/W$", l2_regularizer(1e-3)));
  }
};

}  // namespace

BROCH_COMPONENTS(component<Mlp>("by_hand.mlp", "model", "1.0.0", "A multi-layer perceptron."),
                 component<Cnn>("by_hand.cnn", "model", "1.0.0", "A convolutional network."))
