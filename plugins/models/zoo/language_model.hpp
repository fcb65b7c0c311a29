// language_model.hpp: what models that predict the next token have in common.
#pragma once
#include "classifier.hpp"

namespace broch::zoo {

// Inputs: N sequences of T tokens (N, T), and for each token the one behind it, as the dataflow
// `tokens` yields them.
class LanguageModel : public Model {
 public:
  using Model::Model;

  std::vector<Input> inputs() override {
    return {{"tokens", BROCH_INT64, {-1, -1}, {"B", "T"}},
            {"targets", BROCH_INT64, {-1, -1}, {"B", "T"}}};
  }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    const Tensor scores = t.publish("logits", logits(t, inputs[0]));
    return classified(t, t.ops().flatten(scores, 0, 1), t.ops().flatten(inputs[1]));
  }

 protected:
  // Returns the scores of all tokens, (N, T, vocabulary).
  virtual Tensor logits(Tower& t, const Tensor& tokens) = 0;
};

}  // namespace broch::zoo
