// gpt.hpp: a transformer that predicts the next token. Source: Radford et al., Language models are
// unsupervised multitask learners, 2019 (GPT-2). The names are those of GPT2LMHeadModel in
// transformers.
#pragma once
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
    PositionEmbeddingOptions positions;
    positions.rows = options_.context;
    positions.names = Names::torch;
    Tensor x = position_embedding(t, "transformer.wpe", ops.embedding(table, tokens), positions);
    x = dropout(t, "transformer.drop", x, options_.dropout);
    for (int64_t i = 0; i < options_.layers; ++i)
      x = block(t, "transformer.h." + std::to_string(i) + ".", x);
    return ops.linear(norm(t, "transformer.ln_f", x), table);  // lm_head has the same weight
  }

  // x: (N, T, D). Returns the same shape.
  Tensor block(Tower& t, const std::string& name, const Tensor& x) const {
    Ops& ops = t.ops();
    const int64_t width = options_.width;
    // What is added to x in all blocks together begins with the same variance as in one.
    const double small = 0.02 / std::sqrt(2 * double(options_.layers));
    const Tensor all = map(t, name + "attn.c_attn", norm(t, name + "ln_1", x), 3 * width, 0.02);
    const auto part = [&](int64_t i) { return ops.narrow(all, 2, i * width, width); };
    Tensor y = attention(t, name + "attn", part(0), part(1), part(2), options_.heads,
                         {true, options_.dropout});
    y = map(t, name + "attn.c_proj", y, width, small);
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
