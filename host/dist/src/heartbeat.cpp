// heartbeat.cpp: rounds in which each rank sends one byte: whether it has called leave().
#include "dist/heartbeat.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/signals.hpp"

namespace broch::dist {

namespace {

constexpr std::chrono::milliseconds kPause(250);

}  // namespace

Heartbeat::Heartbeat(std::unique_ptr<Group> group, std::chrono::milliseconds patience, Lost lost)
    : group_(std::move(group)), patience_(patience), lost_(std::move(lost)) {
  thread_ = std::thread([this] { run(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Heartbeat::leave() {
  std::unique_lock lock(mutex_);
  leaves_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return over_; });
}

void Heartbeat::run() {
  base::block_signals();
  try {
    while (!all_leave()) {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kPause, [&] { return stops_ || leaves_; }) && stops_) break;
    }
  } catch (const base::Error& why) {
    lost_(why);
  }
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

bool Heartbeat::all_leave() {
  std::array<std::byte, 1> mine{};
  {
    const std::lock_guard lock(mutex_);
    mine[0] = std::byte{leaves_};
  }
  std::vector<std::byte> all(group_->ranks().world);
  group_->all_gather(mine, parts_of(all, all.size()));
  const auto leaving = std::ranges::count(all, std::byte{1});
  note_leaving(leaving > 0 && mine[0] == std::byte{0});
  return static_cast<size_t>(leaving) == all.size();
}

// `any`: other ranks have left while this one has not. To wait for a rank that has left is in vain.
void Heartbeat::note_leaving(bool any) {
  const auto now = std::chrono::steady_clock::now();
  if (!any) return others_left_.reset();
  if (!others_left_) others_left_ = now;
  if (now - *others_left_ > patience_)
    throw lost_others(group_->ranks(), "training together",
                      "another rank that has ended its training");
}

}  // namespace broch::dist
