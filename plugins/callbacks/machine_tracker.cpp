// machine_tracker.cpp: how busy the processors are, and how much space the disk has.
#include <sys/resource.h>

#include <broch/broch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace {

constexpr double kGiB = 1 << 30;

struct Options {
  std::optional<std::string> disk;

  static constexpr auto schema = broch::options(
      broch::option("disk", &Options::disk,
                    "A folder on the disk whose free space is reported; null: the log folder.")
          .is_path());
};

// Time of all processors since the machine has started, in ticks. /proc/stat: "cpu", then user,
// nice, system, idle, iowait and others; man 5 proc.
struct Ticks {
  double busy = 0, all = 0;

  static Ticks now() {
    Ticks ticks;
    std::ifstream file("/proc/stat");
    std::string word;
    file >> word;
    constexpr int kIdle = 3, kWait = 4, kLast = 7;  // guests are counted under user already
    double count = 0;
    for (int i = 0; i <= kLast && file >> count; ++i) {
      ticks.all += count;
      if (i != kIdle && i != kWait) ticks.busy += count;
    }
    return ticks;
  }
};

// Seconds that all threads of this process have computed.
double process_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class MachineTracker final : public broch::Callback {
 public:
  MachineTracker(const broch::Host& host, const Options& options) : host_(host), metrics_(host) {
    disk_ = options.disk ? options.disk : broch::LogDir(host).path();
  }

  void before_train() override { begin(); }
  void trigger() override {
    const Ticks ticks = Ticks::now();
    const std::chrono::duration<double> passed = Clock::now() - since_;
    if (ticks.all > ticks_.all)
      metrics_.put_scalar("HostCPU (%)",
                          100 * (ticks.busy - ticks_.busy) / (ticks.all - ticks_.all));
    if (passed.count() > 0)
      metrics_.put_scalar("ProcessCPU (%)", 100 * (process_seconds() - seconds_) / passed.count());
    if (disk_) put_space();
    begin();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // The folder may be made later, such as one for checkpoints.
  void put_space() {
    std::error_code unknown;
    const auto space = std::filesystem::space(*disk_, unknown);
    if (!unknown)
      metrics_.put_scalar("FreeDisk (GB)", double(space.available) / kGiB);
    else if (!std::exchange(told_, true))
      host_.warning("the free space of " + *disk_ + " is not known: " + unknown.message());
  }
  void begin() {
    ticks_ = Ticks::now();
    seconds_ = process_seconds();
    since_ = Clock::now();
  }

  broch::Host host_;
  broch::Metrics metrics_;
  std::optional<std::string> disk_;
  bool told_ = false;  // that its space is not known
  Ticks ticks_;
  double seconds_ = 0;
  Clock::time_point since_{};
};

}  // namespace

BROCH_CALLBACK(MachineTracker, "broch.callback.machine-tracker", "1.0.0",
               "Reports how busy the processors are since the last trigger, and the free space of "
               "a disk.",
               Options::schema, broch::produces("HostCPU (%)", "ProcessCPU (%)", "FreeDisk (GB)"),
               broch::run_on("all"))
