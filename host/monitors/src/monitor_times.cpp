// monitor_times.cpp: compares the time of each monitor with that of the training.
#include "monitors/monitor_times.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::monitors {

namespace {

constexpr double kSeconds = 1, kShare = 0.1;  // from both on, a monitor is named
constexpr uint64_t kNever = UINT64_MAX;

}  // namespace

MonitorTimes::One& MonitorTimes::of(const abi::Instance& monitor) {
  const auto found =
      std::ranges::find_if(all_, [&](const One& one) { return &one.monitor_ == &monitor; });
  return found == all_.end() ? all_.emplace_back(*this, monitor) : *found;
}

void MonitorTimes::begin() {
  begun_ = base::ticks();
  for (One& one : all_) one.ticks_ = 0;
}

// Called with the time of an exception that is on its way, so it throws none.
void MonitorTimes::One::look() noexcept {
  const double share = double(ticks_) / double(base::ticks() - all_.begun_);
  if (all_.rate_.seconds(ticks_) < kSeconds || share < kShare) {
    look_at_ = ticks_ + ticks_ / 8;
    return;
  }
  look_at_ = kNever;
  named_ = true;
  base::warning("the training waits for monitor '" + monitor_.name() + "': it has taken " +
                all_.share_of(*this) +
                " so far; a monitor that waits for a disk or a server does so on a thread of its "
                "own, see docs/plugins/monitor.md");
}

std::string MonitorTimes::share_of(const One& one) const {
  const double share = double(one.ticks_) / double(base::ticks() - begun_);
  return base::general(rate_.seconds(one.ticks_), 3) + " seconds, " +
         base::general(100 * share, 2) + "% of the time";
}

void MonitorTimes::report() const {
  for (const One& one : all_)
    if (one.named_)
      base::warning("monitor '" + one.monitor_.name() + "' has taken " + share_of(one) +
                    " of this training");
}

}  // namespace broch::monitors
