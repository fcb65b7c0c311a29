// lstm_lm.hpp: layers of LSTM that predict the next token. Source: Zaremba, Sutskever and Vinyals,
// Recurrent neural network regularization, 2014. Names and initial values are those of PyTorch's
// example word_language_model. Each sequence begins with a state of zeros.
#pragma once
#include "language_model.hpp"
#include "layers.hpp"

namespace broch::zoo {

struct LstmLmOptions {
  int64_t vocabulary, width, units, layers;
  double dropout;
  bool tied;

  static constexpr auto schema = broch::options(
      broch::option("vocabulary", &LstmLmOptions::vocabulary, "Number of different tokens.")
          .minimum(1)
          .by_default(33278),
      broch::option("width", &LstmLmOptions::width, "Numbers for each token.")
          .minimum(1)
          .by_default(200),
      broch::option("units", &LstmLmOptions::units, "Units of each layer.")
          .minimum(1)
          .by_default(200),
      broch::option("layers", &LstmLmOptions::layers, "Number of layers of LSTM.")
          .minimum(1)
          .by_default(2),
      broch::option("dropout", &LstmLmOptions::dropout,
                    "Share that is dropped before, between and behind the layers in training.")
          .minimum(0)
          .below(1)
          .by_default(0.2),
      broch::option("tied", &LstmLmOptions::tied,
                    "Use the embedding for the scores, too (Press and Wolf 2016); width must be "
                    "equal to units.")
          .by_default(false));
};

class LstmLm final : public LanguageModel {
 public:
  LstmLm(const Host& host, const LstmLmOptions& options) : LanguageModel(host), options_(options) {
    if (options.tied && options.width != options.units)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/tied: found true with width " + std::to_string(options.width) + " and units " +
                      std::to_string(options.units) + ", expected equal numbers");
  }

  std::string optimizer() override {
    return R"({"use": "apply-grad-processors", "with": {
        "gradient_processors": [{"use": "global-norm-clip", "with": {"global_norm": 0.25}}],
        "optimizer": {"use": "sgd", "with": {"learning_rate": 20}}}})";
  }

 private:
  Tensor logits(Tower& t, const Tensor& tokens) override {
    Ops& ops = t.ops();
    const int64_t vocabulary = options_.vocabulary;
    const Init init = Init::uniform(-0.1, 0.1);
    const Tensor table = t.variable("encoder.weight", {vocabulary, options_.width}, init).value;
    Tensor x = dropout(t, "encoder", ops.embedding(table, tokens), options_.dropout);
    RecurrentOptions lstm;
    lstm.units = options_.units;
    lstm.names = Names::torch;
    for (int64_t i = 0; i < options_.layers; ++i) {
      lstm.number = i;
      x = layer(t, x, lstm);
      x = dropout(t, "rnn.dropout_l" + std::to_string(i), x, options_.dropout);
    }
    if (!options_.tied) return zoo::linear(t, "decoder", x, vocabulary, {init, Init::constant(0)});
    return ops.linear(x, table, t.variable("decoder.bias", {vocabulary}, Init::constant(0)).value);
  }

  // Publishes, in inference, the state before and behind the tokens, from which `broch predict
  // --generate` goes on.
  static Tensor layer(Tower& t, const Tensor& x, const RecurrentOptions& options) {
    if (t.is_training()) return unroll<LstmCell>(t, "rnn", x, options).outputs;
    const auto name = [&](const char* when, const char* what) {
      return std::string(when) + "/" + what + "_l" + std::to_string(options.number);
    };
    const Tensor zeros = t.ops().zeros({t.size(x, 0), options.units}, t.dtype(x));
    const LstmCell::State start = {t.publish(name("state", "h"), zeros),
                                   t.publish(name("state", "c"), zeros)};
    const Unrolled<LstmCell> done = unroll<LstmCell>(t, "rnn", x, options, start);
    t.publish(name("next", "h"), done.last[0]);
    t.publish(name("next", "c"), done.last[1]);
    return done.outputs;
  }

  LstmLmOptions options_;
};

}  // namespace broch::zoo
