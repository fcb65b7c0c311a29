// gpu_utilization_tracker.cpp: how busy each GPU is during an epoch, as nvidia-smi says.
// tensorpack: `GPUUtilizationTracker`.
#include <algorithm>
#include <broch/broch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "sending/background.hpp"
#include "sending/program.hpp"

namespace {

struct Options {
  std::optional<std::vector<uint32_t>> devices;
  std::string program;
  double seconds;

  static constexpr auto schema =
      broch::options(broch::option("devices", &Options::devices,
                                   "Numbers of GPUs, as nvidia-smi counts them; null: those in the "
                                   "environment variable CUDA_VISIBLE_DEVICES, or all.")
                         .min_items(1),
                     broch::option("program", &Options::program, "The program nvidia-smi.")
                         .min_length(1)
                         .by_default("nvidia-smi"),
                     broch::option("seconds", &Options::seconds, "Time between two samples.")
                         .minimum(0.1)
                         .by_default(1)
                         .unit("seconds"));
};

using Percents = std::map<std::string, std::vector<double>>;  // by number of the GPU

// Which GPUs are reported.
class Chosen {
 public:
  explicit Chosen(const Options& options) {
    if (options.devices) {
      names_.emplace();
      for (const uint32_t device : *options.devices) names_->push_back(std::to_string(device));
    } else if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
      names_.emplace();
      std::istringstream list(visible);
      for (std::string name; std::getline(list >> std::ws, name, ',');) names_->push_back(name);
    }
  }
  // uuid: of the GPU; the environment may name it by the beginning of this text.
  bool has(const std::string& number, const std::string& uuid) const {
    if (!names_) return true;
    return std::any_of(names_->begin(), names_->end(), [&](const std::string& name) {
      return name == number || (name.rfind("GPU-", 0) == 0 && uuid.rfind(name, 0) == 0);
    });
  }

 private:
  std::optional<std::vector<std::string>> names_;  // no value: all
};

// Samples from its construction until stop, on a thread of its own.
class Sampler {
 public:
  explicit Sampler(const Options& options)
      : chosen_(options), program_(options.program), seconds_(options.seconds) {
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
  // After stop: the samples, the GPUs that were listed without a number, whether there was any
  // sample, and what has failed, "" if nothing.
  const Percents& samples() const { return samples_; }
  const std::set<std::string>& without_number() const { return without_number_; }
  bool sampled() const { return sampled_; }
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
  // Lines such as "0, GPU-5f, 37", or "0, GPU-5f, [N/A]" of a GPU that is divided (MIG).
  void sample() {
    const broch::sending::Ran ran = broch::sending::run_program(
        {program_, "--query-gpu=index,uuid,utilization.gpu", "--format=csv,noheader,nounits"}, "",
        "", kLongest);
    if (ran.too_slow || ran.code != 0)
      throw broch::Error(BROCH_E_UNAVAILABLE, program_ + " ended with code " +
                                                  std::to_string(ran.code) + "\n" + ran.output +
                                                  ran.errors);
    sampled_ = true;
    std::istringstream lines(ran.output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string gpu, uuid;
      double percent = 0;
      std::getline(std::getline(fields >> std::ws, gpu, ',') >> std::ws, uuid, ',');
      if (!fields || !chosen_.has(gpu, uuid)) continue;
      if (fields >> percent)
        samples_[gpu].push_back(percent);
      else
        without_number_.insert(gpu);
    }
  }

  const Chosen chosen_;
  const std::string program_;
  const double seconds_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  // Of the thread, until it has ended.
  Percents samples_;
  std::set<std::string> without_number_;
  bool sampled_ = false;
  std::string failure_;
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
  void before_epoch() override {
    is_in_epoch_ = true;
    sampler_.emplace(options_);
  }
  // A wrapper such as enable-callback-if may leave before_epoch out; then there is no sampler.
  void after_epoch() override {
    is_in_epoch_ = false;
    if (sampler_) sampler_->stop();
  }
  void after_train() override { sampler_.reset(); }
  // The last sample may be of a moment after the last step.
  void trigger() override {
    if (!sampler_) return;
    sampler_->stop();
    tell_once();
    for (const auto& [gpu, percents] : sampler_->samples()) {
      const size_t count = percents.size() > 1 ? percents.size() - 1 : percents.size();
      double sum = 0;
      for (size_t i = 0; i < count; ++i) sum += percents[i];
      metrics_.put_scalar("GPUUtil/" + gpu, sum / double(count));
    }
    sampler_.reset();
    if (is_in_epoch_) sampler_.emplace(options_);
  }

 private:
  // What keeps GPUs from being reported; "" if nothing does.
  std::string problem() const {
    if (!sampler_->sampled() || !sampler_->failure().empty()) return sampler_->failure();
    const Percents& samples = sampler_->samples();
    const std::set<std::string>& without = sampler_->without_number();
    for (const uint32_t device : options_.devices.value_or(std::vector<uint32_t>()))
      if (const std::string gpu = std::to_string(device);
          !samples.count(gpu) && !without.count(gpu))
        return "/devices: " + options_.program + " lists no GPU " + gpu;
    if (!without.empty())
      return options_.program + " gives no number for GPU " + *without.begin() +
             ", as for one that is divided (MIG)";
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!options_.devices && samples.empty() && visible && *visible)
      return options_.program + " lists no GPU of CUDA_VISIBLE_DEVICES, " + visible;
    return "";
  }
  void tell_once() {
    const std::string message = problem();
    if (message.empty() || std::exchange(told_, true)) return;
    host_.warning("how busy GPUs are is unknown: " + message);
  }

  broch::Host host_;
  broch::Metrics metrics_;
  Options options_;
  std::optional<Sampler> sampler_;
  bool is_in_epoch_ = false;
  bool told_ = false;
};

}  // namespace

BROCH_CALLBACK(GpuUtilizationTracker, "broch.callback.gpu-utilization-tracker", "1.0.0",
               "Reports how busy each GPU was during the steps of an epoch, in percent.",
               Options::schema, broch::run_on("all"))
