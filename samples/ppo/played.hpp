// played.hpp: pushes in the order in which they were played, and what can be learned from them.
// Source: Schulman, Moritz, Levine, Jordan and Abbeel, High-dimensional continuous control using
// generalized advantage estimation, 2016.
#pragma once
#include <cmath>

#include "judge.hpp"

namespace ppo {

// What is learned from a push. Its bytes are part of a saved state, so it has no padding.
struct Push {
  int64_t action;
  State state;            // before it
  float log_probability;  // of the action, by the policy that chose it
  float value, advantage, goal;
};
static_assert(sizeof(Push) == sizeof(int64_t) + 8 * sizeof(float));

// What happened after a push.
struct Outcome {
  State state;
  bool fell, ended;  // an episode that ends after 500 pushes is no fall
};

// Pushes of several poles at once: that of pole p at time t is at t * poles + p.
struct Played {
  std::vector<Push> pushes;
  std::vector<Outcome> outcomes;
};

struct Credit {
  double discount, trace;
};

// Fills in value, advantage and goal. Each push earned 1 - discount, so that values are from 0
// to 1.
inline void estimate_advantages(Played& played, size_t poles, const Judge& judge, Credit credit) {
  std::vector<State> before, after;
  for (const Push& push : played.pushes) before.push_back(push.state);
  for (const Outcome& outcome : played.outcomes) after.push_back(outcome.state);
  const std::vector<float> values = judge.values(before), next_values = judge.values(after);
  for (size_t i = played.pushes.size(); i-- > 0;) {
    Push& push = played.pushes[i];
    const Outcome& outcome = played.outcomes[i];
    const double surprise =
        1 - credit.discount + (outcome.fell ? 0 : credit.discount * next_values[i]) - values[i];
    const bool last = outcome.ended || i + poles >= played.pushes.size();
    const double later = last ? 0 : played.pushes[i + poles].advantage;
    push.value = values[i];
    push.advantage = float(surprise + credit.discount * credit.trace * later);
    push.goal = push.advantage + push.value;
  }
}

// To a mean of 0 and a deviation of 1.
inline void normalize_advantages(std::vector<Push>& pushes) {
  double sum = 0, squares = 0;
  for (const Push& push : pushes) sum += push.advantage;
  const double mean = sum / double(pushes.size());
  for (const Push& push : pushes) squares += std::pow(push.advantage - mean, 2);
  const double deviation = std::sqrt(squares / double(pushes.size())) + 1e-8;
  for (Push& push : pushes) push.advantage = float((push.advantage - mean) / deviation);
}

}  // namespace ppo
