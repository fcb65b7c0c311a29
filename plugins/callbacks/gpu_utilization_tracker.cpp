// gpu_utilization_tracker.cpp: how busy each GPU is during an epoch, as nvidia-smi says.
// tensorpack: `GPUUtilizationTracker`.
#include <broch/broch.hpp>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "sending/background.hpp"
#include "sending/program.hpp"

namespace {

struct Options {
  std::string program;
  double seconds;

  static constexpr auto schema =
      broch::options(broch::option("program", &Options::program, "The program nvidia-smi.")
                         .min_length(1)
                         .by_default("nvidia-smi"),
                     broch::option("seconds", &Options::seconds, "Time between two samples.")
                         .minimum(0.1)
                         .by_default(1)
                         .unit("seconds"));
};

using Percents = std::map<std::string, std::vector<double>>;  // by number of the GPU

// Samples from its construction until stop, on a thread of its own.
class Sampler {
 public:
  Sampler(std::string program, double seconds) : program_(std::move(program)), seconds_(seconds) {
    const broch::sending::NoSignals none;
    thread_ = std::thread([this] { sample_until_stopped(); });
  }
  ~Sampler() { stop(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
      changed_.notify_one();
    }
    thread_.join();
  }
  // After stop: the samples, and what has failed, "" if nothing.
  const Percents& samples() const { return samples_; }
  const std::string& failure() const { return failure_; }

 private:
  static constexpr double kLongest = 10;  // seconds of one sample

  void sample_until_stopped() {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> pause(seconds_);
    while (failure_.empty() && !changed_.wait_for(lock, pause, [this] { return stops_; })) {
      lock.unlock();
      try {
        sample();
      } catch (const broch::Error& error) {
        failure_ = error.what();
      }
      lock.lock();
    }
  }
  // Lines such as "0, 37".
  void sample() {
    const broch::sending::Ran ran = broch::sending::run_program(
        {program_, "--query-gpu=index,utilization.gpu", "--format=csv,noheader,nounits"}, "", "",
        kLongest);
    if (ran.too_slow || ran.code != 0)
      throw broch::Error(BROCH_E_UNAVAILABLE, program_ + " ended with code " +
                                                  std::to_string(ran.code) + "\n" + ran.output +
                                                  ran.errors);
    std::istringstream lines(ran.output);
    std::string gpu;
    for (double percent; std::getline(lines >> std::ws, gpu, ',') && lines >> percent;)
      samples_[gpu].push_back(percent);
  }

  const std::string program_;
  const double seconds_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  Percents samples_;     // of the thread, until it has ended
  std::string failure_;  // the same
};

class GpuUtilizationTracker final : public broch::Callback {
 public:
  GpuUtilizationTracker(const broch::Host& host, const Options& options)
      : host_(host), metrics_(host), options_(options) {}

  void before_train() override {
    if (options_.program.find('/') == std::string::npos &&
        !broch::sending::has_program(options_.program))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/program: found no program " + options_.program +
                             " in PATH, expected the one that comes with the driver of NVIDIA");
  }
  void before_epoch() override { sampler_.emplace(options_.program, options_.seconds); }
  void after_epoch() override { sampler_->stop(); }
  void after_train() override { sampler_.reset(); }
  // The last sample may be of a moment after the last step.
  void trigger() override {
    if (!sampler_) return;
    sampler_->stop();
    if (!sampler_->failure().empty() && !told_) {
      host_.warning("how busy GPUs are is unknown: " + sampler_->failure());
      told_ = true;
    }
    for (const auto& [gpu, percents] : sampler_->samples()) {
      const size_t count = percents.size() > 1 ? percents.size() - 1 : percents.size();
      double sum = 0;
      for (size_t i = 0; i < count; ++i) sum += percents[i];
      metrics_.put_scalar("GPUUtil/" + gpu, sum / double(count));
    }
    sampler_.reset();
  }

 private:
  broch::Host host_;
  broch::Metrics metrics_;
  Options options_;
  std::optional<Sampler> sampler_;
  bool told_ = false;
};

}  // namespace

BROCH_CALLBACK(GpuUtilizationTracker, "broch.callback.gpu-utilization-tracker", "1.0.0",
               "Reports how busy each GPU was during the steps of an epoch, in percent.",
               Options::schema)
