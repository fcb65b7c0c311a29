// game.hpp: a game that is being played, and what can be learned from its last actions.
#pragma once
#include <algorithm>
#include <utility>

#include "simulators.hpp"

namespace a3c {

struct Answer {
  uint32_t game;
  uint32_t action;
  float probability, value;  // of the action, and of the state, by the policy that chose it
};

// An action to learn from.
struct Lesson {
  State state;
  int64_t action;
  float goal;  // the return from the state on
  float probability;
};

struct Horizon {
  uint64_t steps;  // rewards that are added up, before the value of a state stands for the rest
  double discount;
};

class Game {
 public:
  const State& state() const { return state_; }

  // What can be learned now; nothing in most cases.
  std::vector<Lesson> take(const Report& report, const Horizon& horizon) {
    std::vector<Lesson> lessons;
    if (!taken_.empty()) {
      taken_.back().reward = std::clamp(report.reward, -1.0F, 1.0F);
      if (report.kind == Report::ended)
        lessons = learn(taken_.size(), 0, horizon.discount);
      else if (taken_.size() == horizon.steps + 1)
        lessons = learn(horizon.steps, taken_.back().value, horizon.discount);
    }
    state_ = report.kind == Report::goes_on ? next_state(state_, report.frame)
                                            : first_state(report.frame);
    return lessons;
  }
  void act(const Answer& answer) {
    taken_.push_back({state_, answer.action, answer.probability, answer.value, 0});
  }

 private:
  struct Taken {
    State state;
    int64_t action;
    float probability, value, reward;
  };

  // From the first n actions. later: the return after them.
  std::vector<Lesson> learn(size_t n, double later, double discount) {
    std::vector<Lesson> lessons;
    for (size_t i = n; i-- > 0;) {
      const Taken& taken = taken_[i];
      later = taken.reward + discount * later;
      lessons.push_back({taken.state, taken.action, float(later), taken.probability});
    }
    taken_.erase(taken_.begin(), taken_.begin() + ptrdiff_t(n));
    return lessons;
  }

  State state_;
  std::vector<Taken> taken_;
};

}  // namespace a3c
