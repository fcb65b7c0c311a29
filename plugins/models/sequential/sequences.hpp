// sequences.hpp: layers for sequences, (N, T, D).
#pragma once
#include "values.hpp"

namespace broch::models {

// A recurrent layer: its words and its cell.
template <class Cell, class Words>
struct RecurrentLayer : Kind<RecurrentLayer<Cell, Words>>, Weighed {
  static constexpr const char* kKind = Words::kKind;
  static constexpr const char* kDescription = Words::kDescription;
  int64_t units, stacked;
  bool use_bias, bidirectional, last;
  double dropout;
  static constexpr auto schema = options(
      Layer::schema,
      option("units", &RecurrentLayer::units, "Numbers of the state.").minimum(1).maximum(1000000),
      option("stacked", &RecurrentLayer::stacked,
             "Number of such layers, each on the results of the one before.")
          .minimum(1)
          .maximum(1000)
          .by_default(1),
      option("bidirectional", &RecurrentLayer::bidirectional,
             "Whether a second one goes from the last step to the first; its results follow those "
             "of the first one, (N, T, 2 units).")
          .by_default(false),
      option("dropout", &RecurrentLayer::dropout,
             "Share of the results between stacked layers that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0),
      option("use_bias", &RecurrentLayer::use_bias,
             "Whether to add biases; where weight is given, they begin with 0.")
          .by_default(true),
      option("last", &RecurrentLayer::last,
             "true: the result is the state after the last step, (N, units), of a second direction "
             "after the first step; false: (N, T, units).")
          .by_default(false),
      Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    RecurrentOptions o;
    o.units = units;
    o.use_bias = use_bias;
    if (weight) {
      o.weight = weight->value();
      o.bias = Init::constant(0);
    }
    o.names = build.names;
    Tensor y = x;
    for (o.number = 0; o.number < stacked; ++o.number) {
      if (o.number > 0 && dropout > 0)
        y = broch::dropout(build.t, name + "_dropout_l" + std::to_string(o.number), y, dropout);
      y = layer(build, name, y, o);
    }
    return y;
  }

 private:
  Tensor layer(Build& build, const std::string& name, const Tensor& x, RecurrentOptions o) const {
    const auto result = [&] {
      const Unrolled<Cell> all = unroll<Cell>(build.t, name, x, o);
      return last && o.number + 1 == stacked ? Cell::output(all.last) : all.outputs;
    };
    const Tensor forward = result();
    if (!bidirectional) return forward;
    o.reverse = true;
    return build.t.ops().cat({forward, result()}, -1);
  }
};
struct RnnWords {
  static constexpr const char* kKind = "rnn";
  static constexpr const char* kDescription = "Recurrent layers with tanh.";
};
struct GruWords {
  static constexpr const char* kKind = "gru";
  static constexpr const char* kDescription = "Gated recurrent units.";
};
struct LstmWords {
  static constexpr const char* kKind = "lstm";
  static constexpr const char* kDescription = "Long short-term memory.";
};
using Rnn = RecurrentLayer<RnnCell, RnnWords>;
using Gru = RecurrentLayer<GruCell, GruWords>;
using Lstm = RecurrentLayer<LstmCell, LstmWords>;

struct Rotary {
  double base;
  bool interleaved;
  static constexpr auto schema =
      options(option("base", &Rotary::base, "Base of the angles.").above(0).by_default(10000),
              option("interleaved", &Rotary::interleaved,
                     "true: pairs of neighbors; false: of the first and the second half.")
                  .by_default(false));
};

// Part of a layer: attention.
struct Attending {
  int64_t heads;
  std::optional<int64_t> kv_heads;
  bool causal;
  double attention_dropout;
  std::optional<Rotary> rotary;
  std::optional<std::string> memory;
  static constexpr auto schema = options(
      option("heads", &Attending::heads, "Number of heads; it divides D.").minimum(1),
      option("kv_heads", &Attending::kv_heads,
             "Number of heads of keys and values; null: as many as heads.")
          .minimum(1),
      option("causal", &Attending::causal, "Whether a step sees no later ones.").by_default(false),
      option("attention_dropout", &Attending::attention_dropout,
             "Share of the attention weights that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0),
      option("rotary", &Attending::rotary,
             "Rotary position embedding of queries and keys; null: none."),
      option("memory", &Attending::memory,
             "Name of the sequences (N, S, M) that are attended to; null: the input itself."));
  AttentionOptions attention(bool use_bias, Names names) const {
    AttentionOptions o;
    o.heads = heads;
    o.kv_heads = kv_heads.value_or(0);
    o.causal = causal;
    o.dropout = attention_dropout;
    if (rotary) o.rotary = RotaryOptions{rotary->base, rotary->interleaved};
    o.use_bias = use_bias;
    o.names = names;
    return o;
  }
  Tensor memory_in(const Build& build) const { return memory ? build.find(*memory) : Tensor(); }
};

struct MultiHeadAttention final : Kind<MultiHeadAttention>, Attending, Weighed {
  static constexpr const char* kKind = "multi_head_attention";
  static constexpr const char* kDescription = "Multi-head attention of sequences (N, T, D).";
  bool use_bias;
  static constexpr auto schema = options(
      Layer::schema, Attending::schema,
      option("use_bias", &MultiHeadAttention::use_bias, "Whether to add biases.").by_default(true),
      Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    AttentionOptions o = attention(use_bias, build.names);
    o.weight = weight_or(o.weight);
    return multi_head_attention(build.t, name, x, o, memory_in(build));
  }
};

struct TransformerBlock final : Kind<TransformerBlock>, Attending, Weighed {
  static constexpr const char* kKind = "transformer_block";
  static constexpr const char* kDescription =
      "A block of a transformer: attention and two linear maps, each added to its input.";
  std::optional<int64_t> hidden;
  std::optional<Function> activation;
  bool gated, rms, pre_norm, use_bias;
  double epsilon, dropout;
  static constexpr auto schema = options(
      Layer::schema, Attending::schema,
      option("hidden", &TransformerBlock::hidden, "Units between the linear maps; null: 4 D.")
          .minimum(1),
      one_of_functions(option("activation", &TransformerBlock::activation,
                              "The function between the linear maps; null: none."))
          .by_default("gelu"),
      option("gated", &TransformerBlock::gated,
             "Whether a third linear map multiplies the units (SwiGLU with silu).")
          .by_default(false),
      option("rms", &TransformerBlock::rms, "Whether to use rms_norm instead of layer_norm.")
          .by_default(false),
      option("pre_norm", &TransformerBlock::pre_norm,
             "true: normalize before each half; false: after each sum.")
          .by_default(true),
      option("epsilon", &TransformerBlock::epsilon, "Of the normalizations.")
          .minimum(0)
          .by_default(1e-5),
      option("dropout", &TransformerBlock::dropout,
             "Share of what both halves add that is dropped in training.")
          .minimum(0)
          .below(1)
          .by_default(0),
      option("use_bias", &TransformerBlock::use_bias, "Whether to add biases.").by_default(true),
      Weighed::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    TransformerBlockOptions o;
    o.attention = attention(use_bias, build.names);
    o.hidden = hidden.value_or(0);
    o.activation = activation ? function_of(*activation) : nullptr;
    o.gated = gated;
    o.rms = rms;
    o.pre_norm = pre_norm;
    o.epsilon = epsilon;
    o.dropout = dropout;
    o.use_bias = use_bias;
    o.attention.weight = weight_or(o.attention.weight);
    o.weight = weight_or(o.weight);
    o.names = build.names;
    return transformer_block(build.t, name, x, o, memory_in(build));
  }
};

}  // namespace broch::models
