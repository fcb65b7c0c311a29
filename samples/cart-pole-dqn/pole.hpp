// pole.hpp: the simulator of the evolution sample with the rules of CartPole-v1: a push of 10
// newtons to the left or to the right earns 1, and an episode ends when the pole falls or after 500
// pushes.
#pragma once
#include <array>
#include <broch/broch.hpp>

extern "C" {
#include "../evolution/cart_pole.h"
}

namespace cart_pole_dqn {

constexpr int64_t kLongest = 500;

using State = std::array<float, CART_POLE_STATE>;

struct Pole {
  cart_pole simulator{};
  int64_t pushes = 0;  // in this episode

  // draws: four numbers from 0 to 1.
  void start(const double* draws) {
    for (int i = 0; i < CART_POLE_STATE; ++i) simulator.state[i] = 0.1 * (draws[i] - 0.5);
    pushes = 0;
  }
  // action: 0 to the left, 1 to the right.
  void push(int64_t action) {
    cart_pole_push(&simulator, action == 1 ? 10 : -10);
    ++pushes;
  }
  bool fell() const { return !cart_pole_is_up(&simulator); }
  bool ended() const { return fell() || pushes == kLongest; }
  State state() const {
    State state;
    for (int i = 0; i < CART_POLE_STATE; ++i) state[size_t(i)] = float(simulator.state[i]);
    return state;
  }
};

// Asks the model which action is the better one, in one state or in several.
class Player {
 public:
  // output: a published name, of numbers (N, 2) of which the larger one decides.
  Player(const broch::Host& host, const std::string& output)
      : tensors_(host), values_(host, {"state"}, {output}) {}

  // The better action in each state. states: four numbers each.
  std::vector<int64_t> actions(const std::vector<float>& states) const {
    const auto n = int64_t(states.size() / CART_POLE_STATE);
    const broch_tensor in = tensors_.from_data(states, {n, CART_POLE_STATE});
    const std::vector<float> values = tensors_.floats(values_.call({in})[0]);
    std::vector<int64_t> best;
    for (size_t i = 0; i < values.size(); i += 2) best.push_back(values[i + 1] > values[i]);
    return best;
  }

 private:
  broch::TensorData tensors_;
  broch::Predictor values_;
};

}  // namespace cart_pole_dqn
