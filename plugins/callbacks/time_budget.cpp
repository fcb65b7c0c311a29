// time_budget.cpp: ends training when a time is used up. Lightning: `Timer`, `max_time`.
//
// The time of a training that was resumed is that of all its parts together, without the breaks,
// each in whole seconds.
#include <broch/broch.hpp>
#include <chrono>

#include "../options/saved_state.hpp"
#include "number_shown.hpp"

namespace {

using Clock = std::chrono::steady_clock;

enum class Interval { epoch, step };

struct Options {
  double seconds;
  Interval interval;

  static constexpr auto schema = broch::options(
      broch::option("seconds", &Options::seconds, "The time that training may take.")
          .minimum(0)
          .unit("seconds")
          .is_mutable(),
      broch::option("interval", &Options::interval,
                    "epoch: end with the epoch in which the time is used up. step: end with the "
                    "step; what came after the last checkpoint is lost then.")
          .one_of("epoch", "step")
          .by_default("epoch"));
};

class TimeBudget final : public broch::Callback, public broch::Stateful, public broch::Adjustable {
 public:
  static constexpr uint32_t kStateVersion = 1;

  TimeBudget(const broch::Host& host, const Options& options) : host_(host), options_(options) {}

  void options_changed(const std::string&) override { options_ = broch::read<Options>(host_); }

  void before_train() override { begin_ = Clock::now(); }
  void trigger_step() override {
    if (options_.interval == Interval::step) stop_if_used_up();
  }
  // Usually after an epoch, so that the callbacks before this one have saved and evaluated.
  void trigger() override { stop_if_used_up(); }

  // In whole seconds, so that checkpoints of short equal runs are equal.
  std::string save_state() override { return std::to_string(int64_t(used())); }
  void load_state(uint32_t, const std::string& bytes) override {
    const auto seconds = broch::saved::number_of<int64_t>(bytes);
    if (!seconds || *seconds < 0)
      broch::saved::refuse(broch::saved::quoted(bytes), "a number of seconds");
    before_ = double(*seconds);
  }

 private:
  double used() const {
    if (begin_ == Clock::time_point{}) return before_;
    return before_ + std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  void stop_if_used_up() const {
    if (used() < options_.seconds) return;
    throw broch::StopTraining("the " + broch::callbacks::number_shown(options_.seconds) +
                              " seconds of its time are used up");
  }

  broch::Host host_;
  Options options_;
  Clock::time_point begin_{};
  double before_ = 0;  // seconds, in the parts before the last resume
};

}  // namespace

BROCH_CALLBACK(TimeBudget, "broch.callback.time-budget", "1.0.0",
               "Ends training when a time is used up.", Options::schema, broch::produces())
