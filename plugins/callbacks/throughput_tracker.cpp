// throughput_tracker.cpp: steps or samples per second, with and without the time that callbacks
// take between epochs. tensorpack: `ThroughputTracker`.
#include <broch/broch.hpp>
#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::optional<int64_t> samples_per_step;

  static constexpr auto schema =
      broch::options(broch::option("samples_per_step", &Options::samples_per_step,
                                   "Count samples instead of steps.")
                         .minimum(1));
};

class ThroughputTracker final : public broch::Callback {
 public:
  ThroughputTracker(const broch::Host& host, const Options& options)
      : host_(host), run_(host), samples_per_step_(options.samples_per_step) {}

  void setup_graph() override { metrics_.emplace(host_); }
  void before_train() override {
    last_step_ = run_.progress().global_step;
    last_time_ = Clock::now();
  }
  // "Throughput" counts only the time between before_epoch and after_epoch, as in tensorpack.
  void before_epoch() override {
    epoch_start_ = Clock::now();
    is_in_epoch_ = true;
  }
  void after_epoch() override {
    count_inside(Clock::now());
    is_in_epoch_ = false;
  }

  void trigger() override {
    const Clock::time_point now = Clock::now();
    count_inside(now);
    const double steps = double(run_.progress().global_step - last_step_);
    put("Throughput", steps, inside_);
    put("Throughput wall clock", steps, now - last_time_);
    last_step_ = run_.progress().global_step;
    last_time_ = now;
    inside_ = {};
  }

 private:
  // Adds the time of the epoch since its start, or since this was called last.
  void count_inside(Clock::time_point now) {
    if (!is_in_epoch_) return;
    inside_ += now - epoch_start_;
    epoch_start_ = now;
  }
  void put(const char* name, double steps, std::chrono::duration<double> time) {
    if (steps <= 0 || time.count() <= 0) return;
    const double rate = steps / time.count();
    if (samples_per_step_)
      metrics_->put_scalar(std::string(name) + " (samples/sec)", rate * double(*samples_per_step_));
    else
      metrics_->put_scalar(std::string(name) + " (steps/sec)", rate);
  }

  broch::Host host_;
  broch::Run run_;
  std::optional<broch::Metrics> metrics_;
  std::optional<int64_t> samples_per_step_;
  int64_t last_step_ = 0;
  bool is_in_epoch_ = false;
  Clock::time_point epoch_start_{}, last_time_{};
  std::chrono::duration<double> inside_{};
};

}  // namespace

BROCH_CALLBACK(
    ThroughputTracker, "broch.callback.throughput-tracker", "1.0.0",
    "Measures steps or samples per second, with and without the callbacks at the end of epochs.",
    Options::schema,
    broch::produces("Throughput (steps/sec)", "Throughput wall clock (steps/sec)",
                    "Throughput (samples/sec)", "Throughput wall clock (samples/sec)"),
    broch::run_on("all"))
