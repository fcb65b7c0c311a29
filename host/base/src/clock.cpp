// clock.cpp: the system clock.
#include "base/clock.hpp"

#include <chrono>
#include <ctime>

namespace broch::base {
namespace {

template <class Source>
double seconds() {
  return std::chrono::duration<double>(Source::now().time_since_epoch()).count();
}

class SystemClock final : public Clock {
 public:
  double monotonic() const override { return seconds<std::chrono::steady_clock>(); }
  double wall() const override { return seconds<std::chrono::system_clock>(); }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string file_stamp(double wall_seconds) {
  const std::time_t time = static_cast<std::time_t>(wall_seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%m%d-%H%M%S", &parts);
  return text;
}

}  // namespace broch::base
