// poles.hpp: several poles that are played at once, episode after episode.
#pragma once
#include "../cart-pole-dqn/episode_lengths.hpp"
#include "../cart-pole-dqn/saved_bytes.hpp"
#include "played.hpp"

namespace ppo {

using cart_pole_dqn::Pole;

class Poles {
 public:
  Poles(const broch::Host& host, size_t n)
      : starts_(host, "start"), choices_(host, "choice"), poles_(n) {}

  size_t count() const { return poles_.size(); }
  uint64_t pushes() const { return now_.pushes; }
  const cart_pole_dqn::EpisodeLengths& lengths() const { return lengths_; }

  // Pushes each pole so often, with actions that are drawn from the policy.
  Played play(const Judge& judge, uint64_t times) {
    if (now_.episodes == 0)
      for (Pole& pole : poles_) begin(pole);
    Played played;
    for (uint64_t i = 0; i < times; ++i) push(judge, played);
    return played;
  }

  std::string save() const {
    const uint64_t lengths = lengths_.list.size();
    return cart_pole_dqn::bytes(&now_, 1) + cart_pole_dqn::bytes(poles_.data(), poles_.size()) +
           cart_pole_dqn::bytes(&lengths, 1) +
           cart_pole_dqn::bytes(lengths_.list.data(), lengths_.list.size());
  }
  void load(cart_pole_dqn::SavedBytes& from) {
    uint64_t lengths;
    from.take(&now_, 1);
    from.take(poles_.data(), poles_.size());
    from.take(&lengths, 1);
    from.take(lengths_.list, lengths);
  }

 private:
  struct Now {
    uint64_t pushes = 0, episodes = 0;  // that were made, and that have begun
  };

  void push(const Judge& judge, Played& played) {
    std::vector<State> states;
    for (const Pole& pole : poles_) states.push_back(pole.state());
    const std::vector<float> log_policy = judge.log_policy(states);
    const std::vector<double> draws = choices_.uniform(now_.pushes, poles_.size());
    for (size_t i = 0; i < poles_.size(); ++i) {
      Pole& pole = poles_[i];
      const int64_t action = draws[i] >= std::exp(double(log_policy[2 * i]));
      pole.push(action);
      played.pushes.push_back({action, states[i], log_policy[2 * i + size_t(action)], 0, 0, 0});
      played.outcomes.push_back({pole.state(), pole.fell(), pole.ended()});
      if (pole.ended()) end(pole);
    }
    now_.pushes += poles_.size();
  }
  void begin(Pole& pole) { pole.start(starts_.uniform(now_.episodes++, CART_POLE_STATE).data()); }
  void end(Pole& pole) {
    lengths_.add(pole.pushes);
    begin(pole);
  }

  broch::Rng starts_, choices_;
  std::vector<Pole> poles_;
  cart_pole_dqn::EpisodeLengths lengths_;
  Now now_;
};

}  // namespace ppo
