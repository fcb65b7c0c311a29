// models.cpp: one model for each layer; the cost is the mean of the square of what it gives.
#include <broch/layers.hpp>

#include "waves.hpp"

namespace {

using namespace broch::layers_test;
using broch::Tensor;
using broch::Tower;
using Layer = Tensor (*)(Tower&, const Tensor& x, const Tensor& ids);

broch::RecurrentOptions recurrent() {
  broch::RecurrentOptions options;
  options.units = 6;
  return options;
}

Tensor rnn(Tower& t, const Tensor& x, const Tensor&) {
  return broch::unroll<broch::RnnCell>(t, "layer", x, recurrent()).outputs;
}
Tensor gru(Tower& t, const Tensor& x, const Tensor&) {
  return broch::unroll<broch::GruCell>(t, "layer", x, recurrent()).outputs;
}
// The last cell takes part, too.
Tensor lstm(Tower& t, const Tensor& x, const Tensor&) {
  const auto all = broch::unroll<broch::LstmCell>(t, "layer", x, recurrent());
  return t.ops().cat({all.outputs, t.ops().unsqueeze(all.last[1], 1)}, 1);
}
Tensor embedding(Tower& t, const Tensor&, const Tensor& ids) {
  broch::EmbeddingOptions options;
  options.rows = kIds;
  options.width = 3;
  return broch::embedding(t, "layer", ids, options);
}
Tensor layer_norm(Tower& t, const Tensor& x, const Tensor&) {
  broch::LayerNormOptions options;
  options.dims = 2;
  const Tensor w = t.variable("w", {1}, broch::Init::constant(0.3)).value;
  return broch::layer_norm(t, "layer", t.ops().exp(x * w), options) - broch::Scalar(0.5);
}
Tensor attention(Tower& t, const Tensor& x, const Tensor&) {
  broch::AttentionOptions options;
  options.heads = 2;
  options.causal = true;
  return broch::multi_head_attention(t, "layer", x, options);
}
Tensor cross_attention(Tower& t, const Tensor& x, const Tensor&) {
  broch::AttentionOptions options;
  options.heads = 2;
  return broch::multi_head_attention(t, "layer", x, options, t.ops().narrow(x * x, 1, 0, 3));
}
// Dropping next to nothing goes the other way through the same numbers.
Tensor attention_with_dropout(Tower& t, const Tensor& x, const Tensor&) {
  broch::AttentionOptions options;
  options.heads = 2;
  options.causal = true;
  options.dropout = 1e-12;
  return broch::multi_head_attention(t, "layer", x, options);
}
Tensor conv2d_transpose(Tower& t, const Tensor& x, const Tensor&) {
  broch::Conv2dTransposeOptions options;
  options.channels = 2;
  return broch::conv2d_transpose(t, "layer", t.ops().unsqueeze(x, 1), options);
}
Tensor layer_of(Tower& t, const std::string& name, const Tensor& x) {
  broch::FullyConnectedOptions options;
  options.units = 5;
  return broch::fully_connected(
      t, name, x,
      broch::with(options, &broch::FullyConnectedOptions::activation, broch::tanh,
                  &broch::FullyConnectedOptions::use_bias, false));
}
// a/W has no gradient from below, and one from its decay; b/W is no trainable variable; c/W is half
// as large as it is stored.
Tensor frozen(Tower& t, const Tensor& x, const Tensor&) {
  Tensor y, decay;
  {
    const auto freeze = t.freeze_variables();
    y = layer_of(t, "a", x);
    decay = t.ops().sum(t.ops().square(t.read(t.trainables().at(0).handle)));
  }
  {
    const auto freeze = t.freeze_variables(true);
    y = layer_of(t, "b", y);
  }
  const auto halve = t.remap_variables([](const std::string& name, const Tensor& w) {
    return name == "c/W" ? w * broch::Scalar(0.5) : w;
  });
  y = layer_of(t, "c", y);
  return y + decay * broch::Scalar(0.1);
}

template <Layer layer>
class Net final : public broch::Model {
 public:
  explicit Net(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {kRows, kSteps, kWidth}, {}},
            {"ids", BROCH_INT64, {kRows, kSteps}, {}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    return t.publish("cost", t.ops().mean(t.ops().square(layer(t, inputs[0], inputs[1]))));
  }
};

class Waves final : public broch::DataFlow {
 public:
  explicit Waves(const broch::Host&) {}
  void open(const std::string&) override { next_ = 0; }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (next_ == kPoints) return false;
    point.add(wave(next_), {kRows, kSteps, kWidth});
    point.add(ids(next_), {kRows, kSteps});
    ++next_;
    return true;
  }
  std::optional<int64_t> size() override { return kPoints; }

 private:
  int64_t next_ = 0;
};

constexpr broch_component kComponents[] = {
    broch::component<Net<rnn>>("layers.rnn", "model"),
    broch::component<Net<gru>>("layers.gru", "model"),
    broch::component<Net<lstm>>("layers.lstm", "model"),
    broch::component<Net<embedding>>("layers.embedding", "model"),
    broch::component<Net<layer_norm>>("layers.layer_norm", "model"),
    broch::component<Net<attention>>("layers.attention", "model"),
    broch::component<Net<cross_attention>>("layers.cross_attention", "model"),
    broch::component<Net<attention_with_dropout>>("layers.attention_with_dropout", "model"),
    broch::component<Net<conv2d_transpose>>("layers.conv2d_transpose", "model"),
    broch::component<Net<frozen>>("layers.frozen", "model"),
    broch::component<Waves>("layers.waves", "dataflow")};

}  // namespace

#define NO_OPTIONS R"({"type": "object", "properties": {}, "additionalProperties": false})"
#define MODEL(name) BROCH_META("layers." name, "model", "1.0.0", "One layer.", NO_OPTIONS) ", "

BROCH_PLUGIN(kComponents,
             "{\"components\": [" MODEL("rnn") MODEL("gru") MODEL("lstm") MODEL("embedding")
                 MODEL("layer_norm") MODEL("attention") MODEL("cross_attention")
                     MODEL("attention_with_dropout") MODEL("conv2d_transpose") MODEL("frozen")
                         BROCH_META("layers.waves", "dataflow", "1.0.0", "Waves.", NO_OPTIONS) "]}")
