// mlp.hpp: fully connected layers with relu between them; cross entropy.
#pragma once
#include <broch/layers.hpp>

namespace broch::bench {

class Mlp final : public broch::Model {
 public:
  explicit Mlp(const broch::Host& host)
      : Model(host), sizes_(broch::Config(host).integers("/sizes")) {}

  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, sizes_.front()}, {"B", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor x = inputs[0];
    for (size_t i = 1; i < sizes_.size(); ++i) {
      broch::FullyConnectedOptions layer;
      layer.units = sizes_[i];
      if (i + 1 < sizes_.size()) layer.activation = broch::relu;
      x = broch::fully_connected(t, "fc" + std::to_string(i), x, layer);
    }
    return t.publish("cost", t.ops().cross_entropy_loss(x, inputs[1]));
  }

 private:
  std::vector<int64_t> sizes_;  // of the input and of each layer's output
};

}  // namespace broch::bench
