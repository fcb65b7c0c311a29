// device_memory_tracker.cpp: how much memory of each device tensors have needed at most.
// tensorpack: `GPUMemoryTracker`, `PeakMemoryTracker`.
#include <broch/broch.hpp>
#include <charconv>
#include <string>
#include <vector>

namespace {

constexpr double kMegabyte = 1e6;

struct Options {
  std::optional<std::vector<std::string>> devices;

  static constexpr auto schema = broch::options(
      broch::option("devices", &Options::devices,
                    "Devices, such as cuda:0 or cpu; null: all CUDA devices, perhaps none."));
};

struct Watched {
  std::string metric;
  broch::Device device;
};

class DeviceMemoryTracker final : public broch::Callback {
 public:
  DeviceMemoryTracker(const broch::Host& host, const Options& options)
      : host_(host), metrics_(host), names_(options.devices) {}

  void setup_graph() override {
    const uint32_t count = broch::Device::count(host_, BROCH_DL_CUDA);
    if (!names_ && count == 0) host_.warning("there is no CUDA device, so nothing is reported");
    if (!names_)
      for (uint32_t i = 0; i < count; ++i) watch(BROCH_DL_CUDA, int32_t(i));
    else
      for (size_t i = 0; i < names_->size(); ++i) watch((*names_)[i], i);
  }
  void before_epoch() override {
    for (const Watched& one : watched_) one.device.reset_peak();
  }
  void trigger() override {
    for (const Watched& one : watched_)
      if (const int64_t peak = one.device.memory().peak; peak >= 0)
        metrics_.put_scalar(one.metric, double(peak) / kMegabyte);
  }

 private:
  void watch(int32_t type, int32_t index) {
    const std::string metric =
        "PeakMemory(MB)/" +
        (type == BROCH_DL_CPU ? std::string("cpu") : "gpu:" + std::to_string(index));
    watched_.push_back({metric, broch::Device(host_, type, index)});
    watched_.back().device.info();  // throws if there is no such device
  }
  void watch(const std::string& name, size_t place) {
    if (name == "cpu") return watch(BROCH_DL_CPU, 0);
    int32_t index = -1;
    const std::string number = name.rfind("cuda:", 0) == 0 ? name.substr(5) : "";
    const char* const end = number.data() + number.size();
    if (const auto read = std::from_chars(number.data(), end, index);
        read.ec != std::errc() || read.ptr != end || index < 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/devices/" + std::to_string(place) +
                                                       ": found '" + name +
                                                       "', expected cpu, or cuda:0, cuda:1 …");
    watch(BROCH_DL_CUDA, index);
  }

  broch::Host host_;
  broch::Metrics metrics_;
  std::optional<std::vector<std::string>> names_;
  std::vector<Watched> watched_;
};

}  // namespace

BROCH_CALLBACK(DeviceMemoryTracker, "broch.callback.device-memory-tracker", "1.0.0",
               "Reports the most memory that tensors on a device have needed in an epoch.",
               Options::schema, broch::run_on("all"))
