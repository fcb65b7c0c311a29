// rollout.hpp: what the present policy has done. It is a callback that plays whenever all of it was
// learned from, and a dataflow of batches of it.
#pragma once
#include <memory>
#include <mutex>

#include "poles.hpp"

namespace ppo {

struct RolloutOptions {
  uint64_t poles, pushes, passes, batch_size;
  double discount, trace;

  static constexpr auto schema = broch::options(
      broch::option("poles", &RolloutOptions::poles, "Simulators that are played at once.")
          .minimum(1)
          .by_default(8),
      broch::option("pushes", &RolloutOptions::pushes, "Of each pole in a rollout.")
          .minimum(1)
          .by_default(128),
      broch::option("passes", &RolloutOptions::passes, "How often a rollout is learned from.")
          .minimum(1)
          .by_default(4),
      broch::option("batch_size", &RolloutOptions::batch_size,
                    "Pushes in a data point; a divisor of those in a rollout.")
          .minimum(1)
          .by_default(64),
      broch::option("discount", &RolloutOptions::discount, "Of a reward that is one push later.")
          .minimum(0)
          .maximum(1)
          .by_default(0.99),
      broch::option(
          "trace", &RolloutOptions::trace,
          "How far an advantage looks ahead: 0 trusts the value of the next state, 1 only "
          "what was earned. The lambda of generalized advantage estimation.")
          .minimum(0)
          .maximum(1)
          .by_default(0.95));
};

class Rollout final : public broch::DataFlow, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Rollout(const broch::Host& host, const RolloutOptions& options)
      : host_(host),
        metrics_(host),
        orders_(host, "order"),
        options_(options),
        poles_(host, options.poles) {
    const uint64_t pushes = options.poles * options.pushes;
    if (pushes % options.batch_size != 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/batch_size: found " + std::to_string(options.batch_size) +
                             ", expected a divisor of poles * pushes, " + std::to_string(pushes));
  }

  void setup_graph() override { judge_ = std::make_unique<Judge>(host_); }
  void before_train() override { play_if_learned(); }
  void trigger_step() override { play_if_learned(); }
  void trigger() override {
    poles_.lengths().report(metrics_);
    metrics_.put_scalar("pushes", double(poles_.pushes()));
  }

  // The cursor is the number of batches so far; the rollout is part of the state.
  void open(const std::string& cursor) override {
    const std::lock_guard lock(mutex_);
    drawn_ = cursor.empty() ? 0 : std::stoull(cursor);
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    const std::lock_guard lock(mutex_);
    if (drawn_ / batches() >= passes_)
      throw broch::Error(
          "nothing is left of the rollout: list it among the callbacks, too, by "
          "ref, and use an input source that does not read ahead, such as feed");
    const std::vector<uint64_t> order = orders_.permutation(drawn_ / batches(), pushes_.size());
    fill(point, &order[drawn_ % batches() * options_.batch_size]);
    point.set_cursor(std::to_string(++drawn_));
    return true;
  }

  std::string save_state() override {
    const uint64_t numbers[] = {options_.poles, options_.pushes, drawn_, passes_};
    return cart_pole_dqn::bytes(numbers, 4) + poles_.save() +
           cart_pole_dqn::bytes(pushes_.data(), pushes_.size());
  }
  void load_state(uint32_t, const std::string& saved) override {
    cart_pole_dqn::SavedBytes from(saved);
    uint64_t numbers[4];
    from.take(numbers, 4);
    if (numbers[0] != options_.poles || numbers[1] != options_.pushes)
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          "the saved rollout has other numbers of poles or pushes than the manifest");
    drawn_ = numbers[2];
    passes_ = numbers[3];
    poles_.load(from);
    from.take(pushes_, passes_ == 0 ? 0 : options_.poles * options_.pushes);
  }

 private:
  uint64_t batches() const { return options_.poles * options_.pushes / options_.batch_size; }

  void play_if_learned() {
    const std::lock_guard lock(mutex_);
    if (drawn_ < passes_ * batches()) return;
    Played played = poles_.play(*judge_, options_.pushes);
    estimate_advantages(played, poles_.count(), *judge_, {options_.discount, options_.trace});
    normalize_advantages(played.pushes);
    pushes_ = std::move(played.pushes);
    passes_ += options_.passes;
  }
  // chosen: the indices of the pushes of a batch.
  void fill(broch::PointWriter& point, const uint64_t* chosen) const {
    const auto n = int64_t(options_.batch_size);
    float* state = point.allocate<float>({n, CART_POLE_STATE}, "state");
    int64_t* action = point.allocate<int64_t>({n}, "action");
    float* log_probability = point.allocate<float>({n}, "log_probability");
    float* advantage = point.allocate<float>({n}, "advantage");
    float* goal = point.allocate<float>({n}, "goal");
    for (int64_t i = 0; i < n; ++i) {
      const Push& push = pushes_[chosen[i]];
      state = std::copy(push.state.begin(), push.state.end(), state);
      action[i] = push.action;
      log_probability[i] = push.log_probability;
      advantage[i] = push.advantage;
      goal[i] = push.goal;
    }
  }

  broch::Host host_;
  broch::Metrics metrics_;
  broch::Rng orders_;
  RolloutOptions options_;
  std::unique_ptr<Judge> judge_;
  std::mutex mutex_;  // an input source other than feed reads on a thread of its own
  Poles poles_;
  std::vector<Push> pushes_;
  uint64_t drawn_ = 0, passes_ = 0;  // batches that were read; passes through this and all before
};

}  // namespace ppo
