// gpt.hpp: a decoder-only transformer with learnt positions, pre-normalized blocks and tanh-GELU
// (Radford et al. 2019).
#pragma once
#include <broch/layers.hpp>

#include "raw_operator.hpp"

namespace broch::bench {

class Gpt final : public broch::Model {
 public:
  explicit Gpt(const broch::Host& host)
      : Model(host),
        unbind_(host, "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]") {
    const broch::Config config(host);
    layers_ = config.integer("/layers");
    width_ = config.integer("/width");
    heads_ = config.integer("/heads");
    context_ = config.integer("/context");
    vocabulary_ = config.integer("/vocabulary");
  }

  std::vector<broch::Input> inputs() override {
    return {{"tokens", BROCH_INT64, {-1, context_}, {"B", ""}},
            {"next", BROCH_INT64, {-1, context_}, {"B", ""}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    broch::Tensor x = ops.embedding(weight(t, "token", {vocabulary_, width_}), inputs[0]) +
                      weight(t, "position", {context_, width_});
    for (int64_t i = 1; i <= layers_; ++i) x = block(t, "block" + std::to_string(i), x);
    x = normalized(t, "norm", x);
    const broch::Tensor logits = ops.linear(x, weight(t, "head", {vocabulary_, width_}));
    return t.publish("cost", ops.cross_entropy_loss(ops.view(logits, {-1, vocabulary_}),
                                                    ops.view(inputs[1], {-1})));
  }

 private:
  broch::Tensor block(broch::Tower& t, const std::string& name, const broch::Tensor& x) const {
    const auto scope = t.scope(name);
    const broch::Tensor y = x + attention(t, normalized(t, "norm1", x));
    const broch::Tensor wide = connected(t, "up", normalized(t, "norm2", y), 4 * width_);
    return y + connected(t, "down", t.ops().gelu(wide, "tanh"), width_);
  }

  // x: (B, T, width)
  broch::Tensor attention(broch::Tower& t, const broch::Tensor& x) const {
    broch::Ops& ops = t.ops();
    const int64_t batch = t.size(x, 0);
    const broch::Tensor qkv =
        ops.view(connected(t, "qkv", x, 3 * width_), {batch, context_, 3, heads_, width_ / heads_});
    const broch::Tensor parts = ops.permute(qkv, {2, 0, 3, 1, 4});  // (3, B, heads, T, head width)
    const auto of = unbind_(ops, {broch_of(parts.handle()), broch_int(0)}, 3);
    const broch::Tensor mixed =
        ops.scaled_dot_product_attention(of[0], of[1], of[2], broch::Tensor(), 0.0, true);
    return connected(t, "out", ops.reshape(ops.transpose(mixed, 1, 2), {batch, context_, width_}),
                     width_);
  }

  static broch::Tensor weight(broch::Tower& t, const std::string& name,
                              const std::vector<int64_t>& shape) {
    const auto scope = t.scope(name);
    return t.variable("W", shape, broch::Init::he_normal()).value;
  }

  broch::Tensor connected(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                          int64_t units) const {
    const auto scope = t.scope(name);
    const broch::Tensor w = t.variable("W", {units, t.size(x, 2)}, broch::Init::he_normal()).value;
    return t.ops().linear(x, w, t.variable("b", {units}, broch::Init::constant(0)).value);
  }

  broch::Tensor normalized(broch::Tower& t, const std::string& name, const broch::Tensor& x) const {
    const auto scope = t.scope(name);
    const broch::Tensor gamma = t.variable("gamma", {width_}, broch::Init::constant(1)).value;
    const broch::Tensor beta = t.variable("beta", {width_}, broch::Init::constant(0)).value;
    return t.ops().layer_norm(x, {width_}, gamma, beta);
  }

  RawOperator unbind_;
  int64_t layers_, width_, heads_, context_, vocabulary_;
};

}  // namespace broch::bench
