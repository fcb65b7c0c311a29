// score.hpp: a callback that plays whole episodes with the policy. tensorpack: `Evaluator`.
#pragma once
#include "drawn_action.hpp"
#include "simulators.hpp"

namespace a3c {

struct ScoreOptions : SimulatorOptions {
  uint64_t episodes, processes;
  double enough;

  static constexpr auto schema = broch::options(
      SimulatorOptions::schema,
      broch::option("episodes", &ScoreOptions::episodes,
                    "Of which the score is the mean; a multiple of processes.")
          .minimum(1)
          .maximum(1000)
          .by_default(16),
      broch::option("processes", &ScoreOptions::processes, "Simulators.")
          .minimum(1)
          .maximum(1000)
          .by_default(2),
      broch::option("enough", &ScoreOptions::enough, "A score that ends training.").by_default(18));
};

class Score final : public broch::Callback {
 public:
  Score(const broch::Host& host, const ScoreOptions& options)
      : host_(host), run_(host), metrics_(host), data_(host), options_(options) {
    if (options.episodes % options.processes != 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/episodes: found " +
                                                       std::to_string(options.episodes) +
                                                       ", expected a multiple of processes, " +
                                                       std::to_string(options.processes));
  }

  void setup_graph() override {
    policy_.emplace(host_, broch::Predictor::Names{"state"}, broch::Predictor::Names{"policy"});
  }
  void trigger() override {
    const double score = play();
    metrics_.put_scalar("score", score);
    is_enough_ = score >= options_.enough;
  }
  // Not in trigger, so that callbacks behind this one can keep the weights of this score.
  void before_epoch() override {
    if (is_enough_) throw broch::StopTraining("the score is high enough");
  }

 private:
  // Each game is one episode, all of them are played at once.
  struct Round {
    explicit Round(uint64_t episodes) : states(episodes), ended(episodes), playing(episodes) {}

    void take(const Report& report) {
      State& state = states[report.game];
      state = report.kind == Report::goes_on ? next_state(state, report.frame)
                                             : first_state(report.frame);
      if (report.kind != Report::ended) return;
      ended[report.game] = true;
      sum += report.score;
      --playing;
    }

    std::vector<State> states;
    std::vector<bool> ended;
    double sum = 0;
    uint64_t playing;
  };

  double play() const {
    const uint64_t seed =
        broch::mixed(broch::Instance(host_).seed(), uint64_t(run_.progress().global_step));
    Simulators simulators(options_,
                          {options_.processes, options_.episodes / options_.processes, seed});
    broch::Draws draws(seed);
    Round round(options_.episodes);
    const auto report = std::make_unique<Report>();
    while (round.playing > 0) {
      for (uint64_t reports = round.playing; reports > 0; --reports) {
        wait_for(simulators, *report);
        round.take(*report);
      }
      act(simulators, round, draws);
    }
    return round.sum / double(options_.episodes);
  }
  void wait_for(Simulators& simulators, Report& report) const {
    const broch::Cancel cancel = broch::Cancel::of_run(host_);
    while (!simulators.receive(report)) {
      if (cancel.cancelled()) throw broch::Cancelled();
      simulators.wait(cancel.event_fd());
    }
  }
  void act(Simulators& simulators, const Round& round, broch::Draws& draws) const {
    const broch::Scope scope(host_);
    const auto n = int64_t(round.states.size());
    std::vector<uint8_t> batch;
    for (const State& state : round.states) batch.insert(batch.end(), state->begin(), state->end());
    const broch_tensor in = data_.from_data(batch, {n, kFrames, kSide, kSide});
    const std::vector<float> policy = data_.floats(policy_->call({in})[0]);
    const size_t actions = policy.size() / size_t(n);
    for (uint32_t i = 0; i < n; ++i) {
      const double draw = draws.uniform();
      if (!round.ended[i]) simulators.send({i, drawn_action(&policy[i * actions], actions, draw)});
    }
  }

  broch::Host host_;
  broch::Run run_;
  broch::Metrics metrics_;
  broch::TensorData data_;
  ScoreOptions options_;
  std::optional<broch::Predictor> policy_;
  bool is_enough_ = false;
};

}  // namespace a3c
