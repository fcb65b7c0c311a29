// gpt.hpp: a transformer that predicts the next token. Source: Radford et al., Language models are
// unsupervised multitask learners, 2019 (GPT-2). The names are those of GPT2LMHeadModel in
// transformers.
#pragma once
#include "key_cache.hpp"
#include "language_model.hpp"
#include "layers.hpp"

namespace broch::zoo {

struct GptOptions {
  int64_t vocabulary, context, layers, heads, width;
  double dropout;

  static constexpr auto schema = broch::options(
      broch::option("vocabulary", &GptOptions::vocabulary, "Number of different tokens.")
          .minimum(1)
          .by_default(50257),
      broch::option("context", &GptOptions::context, "Tokens of the longest sequence.")
          .minimum(1)
          .by_default(1024),
      broch::option("layers", &GptOptions::layers, "Number of blocks.").minimum(1).by_default(12),
      broch::option("heads", &GptOptions::heads, "Heads of attention, which divide width.")
          .minimum(1)
          .by_default(12),
      broch::option("width", &GptOptions::width, "Numbers for each token.")
          .minimum(1)
          .by_default(768),
      broch::option("dropout", &GptOptions::dropout,
                    "Share of the embedding, of the weights of attention and of the results of "
                    "each block that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0.1));
};

class Gpt final : public LanguageModel {
 public:
  Gpt(const Host& host, const GptOptions& options) : LanguageModel(host), options_(options) {
    if (options.width % options.heads)
      throw Error(BROCH_E_INVALID_ARGUMENT, "/heads: found " + std::to_string(options.heads) +
                                                ", expected a divisor of width, " +
                                                std::to_string(options.width));
  }

  std::string optimizer() override {
    return R"({"use": "adamw", "with": {
        "learning_rate": 6e-4, "beta1": 0.9, "beta2": 0.95, "weight_decay": 0.1}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& tokens) override {
    Ops& ops = t.ops();
    const Tensor table = t.variable("transformer.wte.weight", {options_.vocabulary, options_.width},
                                    Init::normal(0, 0.02))
                             .value;
    const KeyCache cache(t, tokens, options_.context);
    Tensor x = with_positions(t, ops.embedding(table, tokens), cache);
    x = dropout(t, "transformer.drop", x, options_.dropout);
    for (int64_t i = 0; i < options_.layers; ++i)
      x = block(t, "transformer.h." + std::to_string(i) + ".", x, cache);
    return ops.linear(norm(t, "transformer.ln_f", x), table);  // lm_head has the same weight
  }

  // x: (N, T, D), also below. Returns the same shape.
  Tensor with_positions(Tower& t, const Tensor& x, const KeyCache& cache) const {
    PositionEmbeddingOptions positions;
    positions.rows = options_.context;
    positions.names = Names::torch;
    if (!cache.has_seen()) return position_embedding(t, "transformer.wpe", x, positions);
    const Tensor table =
        t.variable("transformer.wpe.weight", {options_.context, options_.width}, positions.weight)
            .value;
    return t.publish(t.scoped("transformer.wpe/output"),
                     x + t.ops().embedding(table, cache.positions()));
  }

  Tensor block(Tower& t, const std::string& name, const Tensor& x, const KeyCache& cache) const {
    Ops& ops = t.ops();
    const int64_t width = options_.width;
    // What is added to x in all blocks together begins with the same variance as in one.
    const double small = 0.02 / std::sqrt(2 * double(options_.layers));
    const Tensor all = map(t, name + "attn.c_attn", norm(t, name + "ln_1", x), 3 * width, 0.02);
    const auto part = [&](int64_t i) {
      return by_head(t, ops.narrow(all, 2, i * width, width), options_.heads);
    };
    const Tensor q = part(0);
    const Tensor k = cache.with_earlier(name + "key", part(1));
    const Tensor v = cache.with_earlier(name + "value", part(2));
    Tensor y = cache.has_seen() ? ops.scaled_dot_product_attention(q, k, v, cache.mask())
                                : dot_product_attention(t, name + "attn.dropout", q, k, v,
                                                        {true, options_.dropout});
    y = map(t, name + "attn.c_proj", heads_joined(t, y), width, small);
    const Tensor sum = x + dropout(t, name + "attn.resid_dropout", y, options_.dropout);
    y = gelu_tanh(map(t, name + "mlp.c_fc", norm(t, name + "ln_2", sum), 4 * width, 0.02));
    y = map(t, name + "mlp.c_proj", y, width, small);
    return sum + dropout(t, name + "mlp.dropout", y, options_.dropout);
  }

  // A linear map whose weight is (D, units), as transformers' Conv1D has it.
  static Tensor map(Tower& t, const std::string& name, const Tensor& x, int64_t units,
                    double deviation) {
    const Tensor w =
        t.variable(name + ".weight", {t.size(x, 2), units}, Init::normal(0, deviation)).value;
    const Tensor b = t.variable(name + ".bias", {units}, Init::constant(0)).value;
    return t.publish(t.scoped(name + "/output"), t.ops().matmul(x, w) + b);
  }

  static Tensor norm(Tower& t, const std::string& name, const Tensor& x) {
    LayerNormOptions norm;
    norm.names = Names::torch;
    return layer_norm(t, name, x, norm);
  }

  GptOptions options_;
};

}  // namespace broch::zoo
