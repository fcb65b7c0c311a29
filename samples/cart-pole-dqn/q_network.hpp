// q_network.hpp: the model: values of the actions, and the cost of their errors. Sources: Mnih et
// al., Human-level control through deep reinforcement learning, 2015; van Hasselt, Guez and Silver,
// Deep reinforcement learning with double Q-learning, 2016.
#pragma once
#include <broch/layers.hpp>

namespace cart_pole_dqn {

struct NetworkOptions {
  int64_t units;
  double discount;
  bool double_q;

  static constexpr auto schema = broch::options(
      broch::option("units", &NetworkOptions::units, "Of each of the two hidden layers.")
          .minimum(1)
          .by_default(128),
      broch::option("discount", &NetworkOptions::discount, "Of a reward that is one push later.")
          .minimum(0)
          .below(1)
          .by_default(0.99),
      broch::option("double_q", &NetworkOptions::double_q,
                    "The trained network chooses the next action, and the target network values "
                    "it; false: the target network does both.")
          .by_default(true));
};

// Inputs: those of the replay memory. Publishes values, (N, 2): the expected return of a push to
// the left and to the right, times 1 - discount, so that a pole which never falls has the value 1.
// The variables are in the scopes online and target; nothing but the callback run-op changes those
// of target.
class QNetwork final : public broch::Model {
 public:
  QNetwork(const broch::Host& host, const NetworkOptions& options)
      : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"state", BROCH_FLOAT32, {-1, 4}, {"B", ""}},
            {"action", BROCH_INT64, {-1}, {"B"}},
            {"reward", BROCH_FLOAT32, {-1}, {"B"}},
            {"next", BROCH_FLOAT32, {-1, 4}, {"B", ""}},
            {"over", BROCH_FLOAT32, {-1}, {"B"}}};
  }

  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    broch::Tensor all;
    {
      const auto scope = t.scope("online");
      all = network(t, inputs[0]);
    }
    all = t.publish("values", all);
    const broch::Tensor value = ops.gather(all, 1, ops.unsqueeze(inputs[1], 1));
    const broch::Tensor later = ops.detach(next_value(t, inputs[3]));
    const broch::Tensor reward = inputs[2] * broch::Scalar(1 - options_.discount);
    const broch::Tensor goal =
        reward + (ops.neg(inputs[4]) + broch::Scalar(1)) * later * broch::Scalar(options_.discount);
    t.moving_summary("mean_value", ops.mean(value));
    return t.publish("cost", ops.mse_loss(ops.squeeze(value, 1), goal));
  }

 private:
  // The value of the best action in these states, (N).
  broch::Tensor next_value(broch::Tower& t, const broch::Tensor& states) const {
    broch::Ops& ops = t.ops();
    broch::Tensor values, chooser;
    {
      const auto frozen = t.freeze_variables(true);
      const auto scope = t.scope("target");
      values = network(t, states);
    }
    if (!options_.double_q) return ops.amax(values, {1});
    {
      const auto scope = t.reuse("online");
      chooser = network(t, states);
    }
    return ops.squeeze(ops.gather(values, 1, ops.argmax(chooser, 1, true)), 1);
  }

  broch::Tensor network(broch::Tower& t, const broch::Tensor& states) const {
    broch::FullyConnectedOptions hidden, last;
    hidden.units = options_.units;
    hidden.activation = broch::relu;
    last.units = 2;
    // To about -1 to 1: the pole falls at 0.21 radians, and the episode ends at 2.4 metres.
    broch::Tensor x = states * t.constant<float>({1 / 2.4F, 1 / 2.F, 1 / 0.21F, 1 / 2.F}, {4});
    x = broch::fully_connected(t, "fc0", x, hidden);
    x = broch::fully_connected(t, "fc1", x, hidden);
    return broch::fully_connected(t, "values", x, last);
  }

  NetworkOptions options_;
};

}  // namespace cart_pole_dqn
