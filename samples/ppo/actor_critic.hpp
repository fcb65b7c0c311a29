// actor_critic.hpp: the model: the probabilities of the actions, the value of a state, and the cost
// of both. Source: Schulman, Wolski, Dhariwal, Radford and Klimov, Proximal policy optimization
// algorithms, 2017.
#pragma once
#include <broch/layers.hpp>
#include <cmath>

namespace ppo {

struct ActorCriticOptions {
  int64_t units;
  double clip, value_weight, entropy_weight;

  static constexpr auto schema = broch::options(
      broch::option("units", &ActorCriticOptions::units, "Of each of the two hidden layers.")
          .minimum(1)
          .by_default(64),
      broch::option("clip", &ActorCriticOptions::clip,
                    "A probability that has changed by more than this factor, up or down, is not "
                    "pushed further.")
          .above(0)
          .by_default(0.2),
      broch::option("value_weight", &ActorCriticOptions::value_weight,
                    "Of the squared error of the value in the cost.")
          .minimum(0)
          .by_default(0.5),
      broch::option("entropy_weight", &ActorCriticOptions::entropy_weight,
                    "Of the bonus for a policy that is not sure yet.")
          .minimum(0)
          .by_default(0.01));
};

// Inputs: those of the rollout. Publishes log_policy, (N, 2): the logarithms of the probabilities
// of a push to the left and to the right, and value, (N): the expected return, from 0 to 1.
class ActorCritic final : public broch::Model {
 public:
  ActorCritic(const broch::Host& host, const ActorCriticOptions& options)
      : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"state", BROCH_FLOAT32, {-1, 4}, {"B", ""}},
            {"action", BROCH_INT64, {-1}, {"B"}},
            {"log_probability", BROCH_FLOAT32, {-1}, {"B"}},
            {"advantage", BROCH_FLOAT32, {-1}, {"B"}},
            {"goal", BROCH_FLOAT32, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    // To about -1 to 1: the pole falls at 0.21 radians, and the episode ends at 2.4 metres.
    const broch::Tensor state =
        inputs[0] * t.constant<float>({1 / 2.4F, 1 / 2.F, 1 / 0.21F, 1 / 2.F}, {4});
    const broch::Tensor log_policy =
        t.publish("log_policy", ops.log_softmax(network(t, "policy", state, 2, 0.01), 1));
    const broch::Tensor value =
        t.publish("value", ops.squeeze(network(t, "critic", state, 1, 1), 1));
    const broch::Tensor gain = clipped_gain(t, log_policy, inputs);
    const broch::Tensor entropy =
        ops.neg(ops.mean(ops.sum_dim(ops.exp(log_policy) * log_policy, {1})));
    t.moving_summary("entropy", entropy);
    return t.publish("cost", ops.mse_loss(value, inputs[4]) * broch::Scalar(options_.value_weight) -
                                 gain - entropy * broch::Scalar(options_.entropy_weight));
  }

 private:
  // The mean advantage of the actions, for as long as the policy is near the one that chose them.
  broch::Tensor clipped_gain(broch::Tower& t, const broch::Tensor& log_policy,
                             const std::vector<broch::Tensor>& inputs) const {
    broch::Ops& ops = t.ops();
    const broch::Tensor& advantage = inputs[3];
    const broch::Tensor chosen = ops.gather(log_policy, 1, ops.unsqueeze(inputs[1], 1));
    const broch::Tensor ratio = ops.exp(ops.squeeze(chosen, 1) - inputs[2]);
    const broch::Tensor near = ops.clamp(ratio, 1 - options_.clip, 1 + options_.clip);
    const broch::Tensor clipped = ops.to_dtype(ops.ne(near, ratio), BROCH_FLOAT32);
    t.moving_summary("clipped", ops.mean(clipped));
    return ops.mean(ops.minimum(ratio * advantage, near * advantage));
  }

  broch::Tensor network(broch::Tower& t, const char* name, const broch::Tensor& state,
                        int64_t outputs, double gain) const {
    const auto scope = t.scope(name);
    broch::FullyConnectedOptions hidden, last;
    hidden.units = options_.units;
    hidden.weight = broch::Init::orthogonal(std::sqrt(2));
    hidden.activation = broch::tanh;
    last.units = outputs;
    last.weight = broch::Init::orthogonal(gain);
    const broch::Tensor x = broch::fully_connected(t, "fc0", state, hidden);
    return broch::fully_connected(t, "out", broch::fully_connected(t, "fc1", x, hidden), last);
  }

  ActorCriticOptions options_;
};

}  // namespace ppo
