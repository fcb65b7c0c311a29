// parity_cpp.cpp: the network of the parity test as a plugin in C++.
#include <broch/layers.hpp>

namespace {

class Net final : public broch::Model {
 public:
  explicit Net(const broch::Host& host) : Model(host) {}

  std::vector<broch::Input> inputs() override {
    return {{"image", BROCH_FLOAT32, {-1, 1, 12, 12}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Conv2dOptions conv;
    conv.activation = broch::relu;
    conv.channels = 7;
    broch::Tensor x = broch::conv2d(t, "conv1", inputs[0], conv);
    conv.channels = 33;
    conv.stride = 2;
    x = broch::conv2d(t, "conv2", x, conv);
    broch::FullyConnectedOptions connected;
    connected.units = 51;
    connected.activation = broch::relu;
    x = broch::fully_connected(t, "fc1", x, connected);
    connected.units = 10;
    connected.activation = nullptr;
    x = broch::fully_connected(t, "fc2", x, connected);
    return t.publish("cost", t.ops().cross_entropy_loss(x, inputs[1]));
  }
};

}  // namespace

BROCH_MODEL(Net, "parity.cpp", "1.0.0", "A small convolutional network.",
            R"({"type": "object", "properties": {}, "additionalProperties": false})")
