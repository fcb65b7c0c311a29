// judge.hpp: asks the model for its policy and for values of states.
#pragma once
#include "../cart-pole-dqn/pole.hpp"

namespace ppo {

using cart_pole_dqn::State;

class Judge {
 public:
  explicit Judge(const broch::Host& host)
      : tensors_(host),
        policy_(host, {"state"}, {"log_policy"}),
        value_(host, {"state"}, {"value"}) {}

  // Two numbers for each state: the logarithms of the probabilities of both actions.
  std::vector<float> log_policy(const std::vector<State>& states) const {
    return ask(policy_, states);
  }
  // The expected return from each state on, from 0 to 1.
  std::vector<float> values(const std::vector<State>& states) const { return ask(value_, states); }

 private:
  std::vector<float> ask(const broch::Predictor& predictor,
                         const std::vector<State>& states) const {
    std::vector<float> numbers;
    for (const State& state : states) numbers.insert(numbers.end(), state.begin(), state.end());
    const broch_tensor in = tensors_.from_data(numbers, {int64_t(states.size()), CART_POLE_STATE});
    return tensors_.floats(predictor.call({in})[0]);
  }

  broch::TensorData tensors_;
  broch::Predictor policy_, value_;
};

}  // namespace ppo
