// score.hpp: a callback that plays whole episodes without random pushes. tensorpack: `Evaluator`.
#pragma once
#include <memory>

#include "pole.hpp"

namespace cart_pole_dqn {

struct ScoreOptions {
  uint64_t episodes;
  double enough;
  uint64_t in_a_row;
  std::string output;

  static constexpr auto schema = broch::options(
      broch::option("episodes", &ScoreOptions::episodes, "Of which the score is the mean.")
          .minimum(1)
          .by_default(100),
      broch::option("enough", &ScoreOptions::enough, "A score that is good enough.")
          .by_default(475),
      broch::option("in_a_row", &ScoreOptions::in_a_row,
                    "So many scores that are good enough, one after the other, end training.")
          .minimum(1)
          .by_default(5),
      broch::option("output", &ScoreOptions::output,
                    "What the model publishes for both pushes; the larger number decides.")
          .by_default("values"));
};

class Score final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Score(const broch::Host& host, const ScoreOptions& options)
      : host_(host), run_(host), metrics_(host), starts_(host, "start"), options_(options) {}

  void setup_graph() override { player_ = std::make_unique<Player>(host_, options_.output); }
  void trigger() override {
    const double score = play();
    metrics_.put_scalar("score", score);
    good_ = score >= options_.enough ? good_ + 1 : 0;
    if (good_ >= options_.in_a_row) throw broch::StopTraining("the pole stays up");
  }

  std::string save_state() override { return std::to_string(good_); }
  void load_state(uint32_t, const std::string& bytes) override { good_ = std::stoull(bytes); }

 private:
  // The mean number of pushes. All episodes are played at once, from other starts each time.
  double play() const {
    const size_t n = options_.episodes;
    const std::vector<double> draws =
        starts_.uniform(uint64_t(run_.progress().global_step), n * CART_POLE_STATE);
    std::vector<Pole> poles(n);
    for (size_t i = 0; i < n; ++i) poles[i].start(&draws[i * CART_POLE_STATE]);
    while (push(poles)) {
    }
    double pushes = 0;
    for (const Pole& pole : poles) pushes += double(pole.pushes);
    return pushes / double(n);
  }
  // False: all episodes have ended.
  bool push(std::vector<Pole>& poles) const {
    std::vector<float> states;
    bool pushed = false;
    for (const Pole& pole : poles)
      for (const float number : pole.state()) states.push_back(number);
    const std::vector<int64_t> actions = player_->actions(states);
    for (size_t i = 0; i < poles.size(); ++i) {
      if (poles[i].ended()) continue;
      poles[i].push(actions[i]);
      pushed = true;
    }
    return pushed;
  }

  broch::Host host_;
  broch::Run run_;
  broch::Metrics metrics_;
  broch::Rng starts_;
  ScoreOptions options_;
  std::unique_ptr<Player> player_;
  uint64_t good_ = 0;  // scores that were good enough, without a break
};

}  // namespace cart_pole_dqn
