// replay_memory.hpp: what was seen while playing. It is a callback that pushes the cart after each
// step, and a dataflow of batches that are drawn from what it remembers. tensorpack: `ExpReplay`.
#pragma once
#include <memory>
#include <mutex>

#include "episode_lengths.hpp"
#include "pole.hpp"
#include "saved_bytes.hpp"

namespace cart_pole_dqn {

struct MemoryOptions {
  uint64_t capacity, batch_size, warm_up;
  double exploration;

  static constexpr auto schema = broch::options(
      broch::option("capacity", &MemoryOptions::capacity, "Pushes that are remembered.")
          .minimum(1)
          .by_default(20000),
      broch::option("batch_size", &MemoryOptions::batch_size, "Pushes in a data point.")
          .minimum(1)
          .by_default(128),
      broch::option("warm_up", &MemoryOptions::warm_up, "Random pushes before training.")
          .minimum(1)
          .by_default(1000),
      broch::option("exploration", &MemoryOptions::exploration,
                    "The fraction of pushes that are random.")
          .minimum(0)
          .maximum(1)
          .by_default(1)
          .is_mutable());
};

// One push. Its bytes are part of the saved state, so it has no padding.
struct Memory {
  int64_t action;
  State before, after;
  float reward;
  float over;  // 1: the pole fell; 0: it did not, even if the episode ended
};
static_assert(sizeof(Memory) == sizeof(int64_t) + 10 * sizeof(float));

class ReplayMemory final : public broch::DataFlow,
                           public broch::Callback,
                           public broch::Stateful,
                           public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 1;

  ReplayMemory(const broch::Host& host, const MemoryOptions& options)
      : host_(host),
        metrics_(host),
        starts_(host, "start"),
        choices_(host, "choice"),
        batches_(host, "batch"),
        options_(options) {}

  void options_changed(const std::string&) override {
    options_ = broch::read<MemoryOptions>(host_);
  }

  void setup_graph() override { player_ = std::make_unique<Player>(host_, "values"); }
  void before_train() override {
    while (now_.total < options_.warm_up) push(1);
  }
  void trigger_step() override { push(options_.exploration); }
  void trigger() override {
    lengths_.report(metrics_);
    metrics_.put_scalar("pushes", double(now_.total));
  }

  // The cursor is the number of batches so far; what they are drawn from is part of the state.
  void open(const std::string& cursor) override {
    drawn_ = cursor.empty() ? 0 : std::stoull(cursor);
  }
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    const std::lock_guard lock(mutex_);
    if (memories_.empty())
      throw broch::Error("nothing was played yet: list it among the callbacks, too, by ref");
    const auto n = int64_t(options_.batch_size);
    float* before = point.allocate<float>({n, CART_POLE_STATE}, "state");
    int64_t* action = point.allocate<int64_t>({n}, "action");
    float* reward = point.allocate<float>({n}, "reward");
    float* after = point.allocate<float>({n, CART_POLE_STATE}, "next");
    float* over = point.allocate<float>({n}, "over");
    for (const uint64_t i : batches_.below(drawn_, memories_.size(), size_t(n))) {
      const Memory& memory = memories_[i];
      before = std::copy(memory.before.begin(), memory.before.end(), before);
      after = std::copy(memory.after.begin(), memory.after.end(), after);
      *action++ = memory.action;
      *reward++ = memory.reward;
      *over++ = memory.over;
    }
    point.set_cursor(std::to_string(++drawn_));
    return true;
  }

  std::string save_state() override {
    const uint64_t sizes[] = {memories_.size(), lengths_.list.size()};
    return bytes(&now_, 1) + bytes(sizes, 2) + bytes(memories_.data(), memories_.size()) +
           bytes(lengths_.list.data(), lengths_.list.size());
  }
  void load_state(uint32_t, const std::string& saved) override {
    SavedBytes from(saved);
    uint64_t sizes[2];
    from.take(&now_, 1);
    from.take(sizes, 2);
    from.take(memories_, sizes[0]);
    from.take(lengths_.list, sizes[1]);
  }

 private:
  struct Now {
    Pole pole;
    uint64_t total = 0, episodes = 0;  // pushes, and episodes that have begun
  };

  void push(double exploration) {
    const std::lock_guard lock(mutex_);
    if (now_.episodes == 0) begin();
    Memory memory{};
    memory.before = now_.pole.state();
    memory.action = choose(exploration, memory.before);
    now_.pole.push(memory.action);
    memory.after = now_.pole.state();
    memory.reward = 1;
    memory.over = now_.pole.fell() ? 1 : 0;
    remember(memory);
    ++now_.total;
    if (now_.pole.ended()) end();
  }
  int64_t choose(double exploration, const State& state) const {
    const std::vector<double> draws = choices_.uniform(now_.total, 2);
    if (draws[0] < exploration) return draws[1] < 0.5;
    return player_->actions({state.begin(), state.end()})[0];
  }
  // Replaces the oldest one if there is no room.
  void remember(const Memory& memory) {
    if (memories_.size() < options_.capacity) {
      memories_.push_back(memory);
    } else {
      memories_[now_.total % memories_.size()] = memory;
    }
  }
  void begin() { now_.pole.start(starts_.uniform(now_.episodes++, CART_POLE_STATE).data()); }
  void end() {
    lengths_.add(now_.pole.pushes);
    begin();
  }

  broch::Host host_;
  broch::Metrics metrics_;
  broch::Rng starts_, choices_, batches_;
  MemoryOptions options_;
  std::unique_ptr<Player> player_;
  std::mutex mutex_;  // an input source other than feed reads on a thread of its own
  Now now_;
  std::vector<Memory> memories_;
  EpisodeLengths lengths_;
  uint64_t drawn_ = 0;
};

}  // namespace cart_pole_dqn
