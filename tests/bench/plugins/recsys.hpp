// recsys.hpp: click prediction: a table a categorical feature, then fully connected layers over
// what was looked up and the dense features.
#pragma once
#include <broch/layers.hpp>

#include "raw_operator.hpp"

namespace broch::bench {

class Recsys final : public broch::Model {
 public:
  explicit Recsys(const broch::Host& host)
      : Model(host),
        embedding_bag_(
            host,
            "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool "
            "scale_grad_by_freq=False, int mode=0) -> (Tensor, Tensor, Tensor, Tensor)") {
    const broch::Config config(host);
    tables_ = config.integer("/tables");
    rows_ = config.integer("/rows");
    width_ = config.integer("/width");
    dense_ = config.integer("/dense");
  }

  std::vector<broch::Input> inputs() override {
    return {{"dense", BROCH_FLOAT32, {-1, dense_}, {"B", ""}},
            {"ids", BROCH_INT64, {tables_, -1}, {"", "B"}},
            {"click", BROCH_INT64, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor offsets =
        ops.arange(broch::Scalar(t.size(inputs[1], 1)), BROCH_INT64);  // bags of one id each
    std::vector<broch::Tensor> features = {inputs[0]};
    for (int64_t i = 0; i < tables_; ++i)
      features.push_back(looked_up(t, i, ops.select(inputs[1], 0, i), offsets));
    broch::FullyConnectedOptions layer;
    layer.activation = broch::relu;
    layer.units = 128;
    broch::Tensor x = broch::fully_connected(t, "fc1", ops.cat(features, 1), layer);
    layer.units = 64;
    x = broch::fully_connected(t, "fc2", x, layer);
    layer.units = 2;
    layer.activation = nullptr;
    x = broch::fully_connected(t, "fc3", x, layer);
    return t.publish("cost", ops.cross_entropy_loss(x, inputs[2]));
  }

 private:
  broch::Tensor looked_up(broch::Tower& t, int64_t table, const broch::Tensor& ids,
                          const broch::Tensor& offsets) const {
    const auto scope = t.scope("table" + std::to_string(table + 1));
    const broch::Tensor w = t.variable("W", {rows_, width_}, broch::Init::constant(0)).value;
    return embedding_bag_(
        t.ops(), {broch_of(w.handle()), broch_of(ids.handle()), broch_of(offsets.handle())}, 1)[0];
  }

  RawOperator embedding_bag_;
  int64_t tables_, rows_, width_, dense_;
};

}  // namespace broch::bench
