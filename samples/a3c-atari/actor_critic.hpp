// actor_critic.hpp: the model: the probabilities of the actions, the value of a state, and the cost
// of both. Source: Mnih et al., Asynchronous methods for deep reinforcement learning, 2016.
#pragma once
#include <broch/layers.hpp>
#include <cmath>

#include "frames.hpp"

namespace a3c {

enum class Network { a3c, nature, tensorpack };

struct ActorCriticOptions {
  Network network;
  int64_t actions;
  double value_weight, entropy_weight, largest_importance;

  static constexpr auto schema = broch::options(
      broch::option(
          "network", &ActorCriticOptions::network,
          "a3c: two convolutions, of the paper on A3C. nature: three, of the paper on DQN "
          "in Nature. tensorpack: four with pooling, of its example A3C-Gym.")
          .one_of("a3c", "nature", "tensorpack")
          .by_default("a3c"),
      broch::option("actions", &ActorCriticOptions::actions,
                    "Actions of the game, not more than it has.")
          .minimum(1)
          .by_default(6),
      broch::option("value_weight", &ActorCriticOptions::value_weight,
                    "Of the squared error of the value in the cost.")
          .minimum(0)
          .by_default(0.5),
      broch::option("entropy_weight", &ActorCriticOptions::entropy_weight,
                    "Of the bonus for a policy that is not sure yet; the first value of the "
                    "variable entropy_weight, which schedules may change.")
          .minimum(0)
          .by_default(0.01),
      broch::option("largest_importance", &ActorCriticOptions::largest_importance,
                    "An action that has become more probable since it was chosen counts by this "
                    "factor, at most this one.")
          .minimum(0)
          .by_default(10));
};

// Inputs: those of the players. Publishes policy, (N, actions): probabilities, and value, (N): the
// expected return.
class ActorCritic final : public broch::Model {
 public:
  ActorCritic(const broch::Host& host, const ActorCriticOptions& options)
      : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"state", BROCH_UINT8, {-1, kFrames, kSide, kSide}, {"B", "", "", ""}},
            {"action", BROCH_INT64, {-1}, {"B"}},
            {"goal", BROCH_FLOAT32, {-1}, {"B"}},
            {"probability", BROCH_FLOAT32, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor x =
        features(t, ops.to_dtype(inputs[0], BROCH_FLOAT32) * broch::Scalar(1 / 255.0));
    const broch::Tensor log_policy =
        ops.log_softmax(head(t, "policy", x, options_.actions, 0.01), 1);
    const broch::Tensor policy = t.publish("policy", ops.exp(log_policy));
    const broch::Tensor value = t.publish("value", ops.squeeze(head(t, "critic", x, 1, 1), 1));
    if (!t.is_training()) return {};
    const broch::Tensor gain = policy_gain(t, log_policy, value, inputs);
    const broch::Tensor entropy = ops.neg(ops.mean(ops.sum_dim(policy * log_policy, {1})));
    const broch::Tensor error = ops.mse_loss(value, inputs[2]);
    t.moving_summary("entropy", entropy);
    t.moving_summary("value_error", error);
    t.moving_summary("predicted_return", ops.mean(value));
    const broch::Tensor weight =
        t.variable("entropy_weight", {}, broch::Init::constant(options_.entropy_weight), 0).value;
    return t.publish("cost",
                     error * broch::Scalar(options_.value_weight) - gain - entropy * weight);
  }

 private:
  // The mean of the logarithms of the probabilities of what was done, each times how much better
  // than expected it was. The policy may have changed since: importance corrects for this.
  broch::Tensor policy_gain(broch::Tower& t, const broch::Tensor& log_policy,
                            const broch::Tensor& value,
                            const std::vector<broch::Tensor>& inputs) const {
    broch::Ops& ops = t.ops();
    const broch::Tensor chosen =
        ops.squeeze(ops.gather(log_policy, 1, ops.unsqueeze(inputs[1], 1)), 1);
    const broch::Tensor ratio = ops.exp(ops.detach(chosen)) / ops.add(inputs[3], 1e-8);
    const broch::Tensor importance = ops.clamp_max(ratio, options_.largest_importance);
    t.moving_summary("importance", ops.mean(importance));
    return ops.mean(chosen * (inputs[2] - ops.detach(value)) * importance);
  }

  broch::Tensor features(broch::Tower& t, const broch::Tensor& x) const {
    switch (options_.network) {
      case Network::a3c:
        return dense(t, conv(t, "conv1", conv(t, "conv0", x, {16, 8, 4}), {32, 4, 2}), 256);
      case Network::nature: {
        const broch::Tensor y = conv(t, "conv1", conv(t, "conv0", x, {32, 8, 4}), {64, 4, 2});
        return dense(t, conv(t, "conv2", y, {64, 3, 1}), 512);
      }
      case Network::tensorpack:
        break;
    }
    broch::Tensor y = broch::max_pool2d(t, "pool0", same_conv(t, "conv0", x, 32, 5));
    y = broch::max_pool2d(t, "pool1", same_conv(t, "conv1", y, 32, 5));
    y = broch::max_pool2d(t, "pool2", same_conv(t, "conv2", y, 64, 3));
    return dense(t, same_conv(t, "conv3", y, 64, 3), 512);
  }

  struct Strided {
    int64_t channels, kernel, stride;
  };
  static broch::Tensor conv(broch::Tower& t, const char* name, const broch::Tensor& x,
                            const Strided& size) {
    broch::Conv2dOptions options;
    options.channels = size.channels;
    options.kernel = size.kernel;
    options.stride = size.stride;
    options.padding = 0;
    options.weight = broch::Init::orthogonal(std::sqrt(2));
    options.activation = [](const broch::Tensor& y) { return broch::relu(y); };
    return broch::conv2d(t, name, x, options);
  }
  static broch::Tensor same_conv(broch::Tower& t, const char* name, const broch::Tensor& x,
                                 int64_t channels, int64_t kernel) {
    broch::Conv2dOptions options;
    options.channels = channels;
    options.kernel = kernel;
    options.activation = [](const broch::Tensor& y) { return broch::relu(y); };
    return broch::conv2d(t, name, x, options);
  }
  static broch::Tensor dense(broch::Tower& t, const broch::Tensor& x, int64_t units) {
    broch::FullyConnectedOptions options;
    options.units = units;
    options.weight = broch::Init::orthogonal(std::sqrt(2));
    options.activation = [](const broch::Tensor& y) { return broch::relu(y); };
    return broch::fully_connected(t, "fc0", x, options);
  }
  static broch::Tensor head(broch::Tower& t, const char* name, const broch::Tensor& x,
                            int64_t outputs, double gain) {
    broch::FullyConnectedOptions options;
    options.units = outputs;
    options.weight = broch::Init::orthogonal(gain);
    return broch::fully_connected(t, name, x, options);
  }

  ActorCriticOptions options_;
};

}  // namespace a3c
