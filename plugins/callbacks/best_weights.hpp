// best_weights.hpp: a copy of the weights, in variables best_weights/…, that can be exchanged with
// them. They are LOCAL: they belong to the rank of the callback, and are saved for resuming only.
#pragma once
#include <broch/broch.hpp>

namespace broch::callbacks {

class BestWeights {
 public:
  // Make it in setup_graph.
  explicit BestWeights(const Host& host) {
    const Variables variables(host);
    for (const broch_variable variable : variables.list()) {
      const broch_variable_info info = variables.info(variable);
      if (info.flags & BROCH_VARIABLE_LOCAL) continue;
      if (!(info.flags & (BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL))) continue;
      const std::vector<int64_t> shape(info.shape, info.shape + info.rank);
      pairs_.push_back(
          {variable, variables.create("best_weights/" + std::string(info.name), shape,
                                      Init::constant(0), BROCH_VARIABLE_LOCAL, info.dtype)});
    }
    keep_.emplace(host, "keep best weights", [this](const Tower& scope) {
      for (const Pair& pair : pairs_) scope.update(pair.best, scope.read(pair.weight));
    });
    exchange_.emplace(host, "exchange best weights", [this](const Tower& scope) {
      for (const Pair& pair : pairs_) {
        const Tensor weight = scope.read(pair.weight), best = scope.read(pair.best);
        scope.update(pair.weight, best);
        scope.update(pair.best, weight);
      }
    });
  }
  BestWeights(const BestWeights&) = delete;
  BestWeights& operator=(const BestWeights&) = delete;

  void keep() const { keep_->run(); }
  void exchange() const { exchange_->run(); }

 private:
  struct Pair {
    broch_variable weight, best;
  };
  std::vector<Pair> pairs_;
  std::optional<Operation> keep_, exchange_;
};

}  // namespace broch::callbacks
