// pulse.cpp: rounds of one byte from each rank: whether it departs.
#include "dist/pulse.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/signals.hpp"

namespace broch::dist {

namespace {

constexpr std::chrono::milliseconds kPause(250);

}  // namespace

Pulse::Pulse(std::unique_ptr<Group> apart, std::chrono::milliseconds patience, Lost lost)
    : apart_(std::move(apart)), patience_(patience), lost_(std::move(lost)) {
  thread_ = std::thread([this] { run(); });
}

Pulse::~Pulse() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Pulse::depart() {
  std::unique_lock lock(mutex_);
  departs_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return over_; });
}

void Pulse::run() {
  base::block_signals();
  try {
    while (!all_depart()) {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, kPause, [&] { return stops_ || departs_; }) && stops_) break;
    }
  } catch (const base::Error& why) {
    lost_(why);
  }
  const std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

bool Pulse::all_depart() {
  std::array<std::byte, 1> mine{};
  {
    const std::lock_guard lock(mutex_);
    mine[0] = std::byte{departs_};
  }
  std::vector<std::byte> all(apart_->ranks().world);
  apart_->all_gather(mine, parts_of(all, all.size()));
  const auto departed = std::ranges::count(all, std::byte{1});
  note_departures(departed > 0 && mine[0] == std::byte{0});
  return static_cast<size_t>(departed) == all.size();
}

// Whoever waits for one that has left waits in vain.
void Pulse::note_departures(bool any) {
  const auto now = std::chrono::steady_clock::now();
  if (!any) return others_left_.reset();
  if (!others_left_) others_left_ = now;
  if (now - *others_left_ > patience_)
    throw lost_others(apart_->ranks(), "training together",
                      "another rank that has ended its training");
}

}  // namespace broch::dist
