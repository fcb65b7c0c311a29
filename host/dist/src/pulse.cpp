// pulse.cpp: rounds of one byte from each rank: whether it departs.
#include "dist/pulse.hpp"

#include <signal.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace broch::dist {

namespace {

constexpr std::chrono::milliseconds kPause(250);

}  // namespace

Pulse::Pulse(std::unique_ptr<Group> apart, Lost lost)
    : apart_(std::move(apart)), lost_(std::move(lost)) {
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
  sigset_t all;  // signals are for the thread that trains
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
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
  std::vector<std::span<std::byte>> places;
  for (std::byte& one : all) places.emplace_back(&one, 1);
  apart_->all_gather(mine, places);
  return std::ranges::all_of(all, [](std::byte one) { return one == std::byte{1}; });
}

}  // namespace broch::dist
