// players.hpp: plays all the time with the present policy. It is a callback that owns the
// simulators, and a dataflow of batches of what can be learned from them. tensorpack: the master of
// its example A3C-Gym.
#pragma once
#include <atomic>
#include <chrono>
#include <thread>

#include "answers.hpp"
#include "drawn_action.hpp"
#include "lesson_queue.hpp"
#include "played.hpp"

namespace a3c {

struct PlayersOptions : SimulatorOptions {
  uint64_t processes, games, steps, batch_size, capacity, questions;
  double discount;

  static constexpr auto schema = broch::options(
      SimulatorOptions::schema,
      broch::option("processes", &PlayersOptions::processes, "Simulators.")
          .minimum(1)
          .maximum(1000)
          .by_default(2),
      broch::option("games", &PlayersOptions::games, "Games that each of them plays.")
          .minimum(1)
          .maximum(1000)
          .by_default(16),
      broch::option("steps", &PlayersOptions::steps,
                    "Rewards that are added up; then the value of a state stands for the rest.")
          .minimum(1)
          .by_default(5),
      broch::option("discount", &PlayersOptions::discount, "Of a reward that is one action later.")
          .minimum(0)
          .maximum(1)
          .by_default(0.99),
      broch::option("batch_size", &PlayersOptions::batch_size, "Actions in a data point.")
          .minimum(1)
          .by_default(128),
      broch::option("capacity", &PlayersOptions::capacity,
                    "Batches that wait at most; then the players wait. More of them are older.")
          .minimum(1)
          .by_default(2),
      broch::option("questions", &PlayersOptions::questions,
                    "Most states whose actions are computed at once.")
          .minimum(1)
          .by_default(16));
};

class Players final : public broch::DataFlow, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Players(const broch::Host& host, const PlayersOptions& options)
      : host_(host),
        metrics_(host),
        data_(host),
        draws_(broch::Instance(host).seed()),
        options_(options),
        lessons_(options.capacity * options.batch_size) {}

  void setup_graph() override {
    const broch::Predictor policy(host_, {"state"}, {"policy", "value"});
    const broch::AsyncPredictor::Limits limits{uint32_t(options_.questions), kPatience};
    policy_.emplace(host_, std::vector<broch::Predictor>{policy}, limits);
  }
  void before_train() override {
    const uint64_t seed = broch::mixed(broch::Instance(host_).seed(), played_.frames());
    simulators_ = std::make_unique<Simulators>(
        options_, Simulators::Crew{options_.processes, options_.games, seed});
    games_.resize(simulators_->games());
    playing_ = true;
    thread_ = std::thread([this] { play(); });
  }
  void trigger() override { played_.report(metrics_); }
  void after_train() override {
    stopping_ = true;
    lessons_.close();
    if (thread_.joinable()) thread_.join();
    if (policy_) policy_->close();
    simulators_.reset();
  }

  // There is no cursor: nobody can play the same game again.
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (!playing_)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "nobody plays, expected a training that has begun");
    const std::vector<Lesson> lessons = lessons_.take(options_.batch_size, cancel);
    const auto n = int64_t(lessons.size());
    uint8_t* state = point.allocate<uint8_t>({n, kFrames, kSide, kSide}, "state");
    int64_t* action = point.allocate<int64_t>({n}, "action");
    float* goal = point.allocate<float>({n}, "goal");
    float* probability = point.allocate<float>({n}, "probability");
    for (const Lesson& lesson : lessons) {
      state = std::copy(lesson.state->begin(), lesson.state->end(), state);
      *action++ = lesson.action;
      *goal++ = lesson.goal;
      *probability++ = lesson.probability;
    }
    return true;
  }

  std::string save_state() override { return played_.save(); }
  void load_state(uint32_t, const std::string& saved) override { played_.load(saved); }

 private:
  static constexpr std::chrono::milliseconds kPatience{10};  // for a full batch of questions

  void play() noexcept {
    try {
      const broch::ThreadScope thread(host_, "players");
      const auto report = std::make_unique<Report>();
      while (!stopping_) {
        simulators_->wait(answers_.descriptor());
        for (const Answer& answer : answers_.take()) {
          games_[answer.game].act(answer);
          simulators_->send({answer.game, answer.action});
        }
        while (!stopping_ && simulators_->receive(*report)) take(*report);
      }
    } catch (const broch::Cancelled&) {  // the predictor is closed
    } catch (const std::exception& error) {
      lessons_.fail(error.what());
    }
  }
  void take(const Report& report) {
    if (report.kind != Report::began) played_.add_frame();
    if (report.kind == Report::ended) played_.add_episode(report.score);
    Game& game = games_[report.game];
    for (Lesson& lesson : game.take(report, {options_.steps, options_.discount}))
      if (!lessons_.put(std::move(lesson))) return;
    ask(game.state(), [this, number = report.game](const broch::AsyncPredictor::Answer& answer) {
      try {
        answer_with(number, answer.outputs());
      } catch (const broch::Cancelled&) {
      } catch (const std::exception& error) {
        lessons_.fail(error.what());
      }
    });
  }
  void ask(const State& state, broch::AsyncPredictor::Answered answered) const {
    const broch::Scope scope(host_);
    policy_->put({data_.from_data(*state, {kFrames, kSide, kSide})}, std::move(answered));
  }
  // On the thread of the predictor.
  void answer_with(uint32_t game, const std::vector<broch_tensor>& outputs) {
    const std::vector<float> policy = data_.floats(outputs[0]);
    const uint32_t action = drawn_action(policy.data(), policy.size(), draws_.uniform());
    answers_.put({game, action, policy[action], float(data_.item(outputs[1]))});
  }

  broch::Host host_;
  broch::Metrics metrics_;
  broch::TensorData data_;
  broch::Draws draws_;
  PlayersOptions options_;
  std::optional<broch::AsyncPredictor> policy_;
  std::unique_ptr<Simulators> simulators_;
  std::vector<Game> games_;
  Answers answers_;
  LessonQueue lessons_;
  Played played_;
  std::atomic<bool> playing_{false}, stopping_{false};
  std::thread thread_;
};

}  // namespace a3c
