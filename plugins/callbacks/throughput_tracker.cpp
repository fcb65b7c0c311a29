// throughput_tracker.cpp: steps or samples per second, with and without the time that callbacks
// take between epochs. tensorpack: `ThroughputTracker`.
#include <broch/broch.hpp>
#include <chrono>

namespace {

using Clock = std::chrono::steady_clock;

class ThroughputTracker final : public broch::Callback {
 public:
  explicit ThroughputTracker(const broch::Host& host) : host_(host), run_(host) {
    const broch::Config config(host);
    samples_per_step_ = config.has("/samples_per_step") ? config.integer("/samples_per_step") : 0;
  }

  void setup_graph() override { metrics_.emplace(host_); }
  void before_train() override {
    last_step_ = run_.progress().global_step;
    last_time_ = Clock::now();
  }
  // "Throughput" counts only the time between before_epoch and after_epoch, as in tensorpack.
  void before_epoch() override { epoch_start_ = Clock::now(); }
  void after_epoch() override { inside_ += Clock::now() - epoch_start_; }

  void trigger() override {
    const Clock::time_point now = Clock::now();
    const double steps = double(run_.progress().global_step - last_step_);
    put("Throughput", steps, inside_);
    put("Throughput wall clock", steps, now - last_time_);
    last_step_ = run_.progress().global_step;
    last_time_ = now;
    inside_ = {};
  }

 private:
  void put(const char* name, double steps, std::chrono::duration<double> time) {
    if (steps <= 0 || time.count() <= 0) return;
    const double rate = steps / time.count();
    if (samples_per_step_)
      metrics_->put_scalar(std::string(name) + " (samples/sec)", rate * double(samples_per_step_));
    else
      metrics_->put_scalar(std::string(name) + " (steps/sec)", rate);
  }

  broch::Host host_;
  broch::Run run_;
  std::optional<broch::Metrics> metrics_;
  int64_t samples_per_step_, last_step_ = 0;
  Clock::time_point epoch_start_{}, last_time_{};
  std::chrono::duration<double> inside_{};
};

constexpr broch_component kComponents[] = {
    broch::component<ThroughputTracker>("broch.callback.throughput-tracker", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"json({"components": [{
  "id": "broch.callback.throughput-tracker", "role": "callback", "version": "1.0.0",
  "run_on": "all",
  "summary": "Measures steps or samples per second, with and without the callbacks at the end of epochs.",
  "produces": ["Throughput (steps/sec)", "Throughput wall clock (steps/sec)",
               "Throughput (samples/sec)", "Throughput wall clock (samples/sec)"],
  "options": {
    "type": "object",
    "properties": {
      "samples_per_step": {"type": ["integer", "null"], "minimum": 1, "default": null,
                           "description": "Count samples instead of steps."}
    },
    "additionalProperties": false
  }}]})json")
