// heartbeat.cpp: rounds in which each rank sends one byte: whether it has called leave().
#include "dist/heartbeat.hpp"

#include <array>
#include <string>

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

std::vector<uint32_t> Heartbeat::left() {
  const std::lock_guard lock(mutex_);
  return left_;
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
  {
    const std::lock_guard lock(mutex_);
    left_.clear();
    for (uint32_t rank = 0; rank < all.size(); ++rank)
      if (all[rank] == std::byte{1}) left_.push_back(rank);
  }
  note_leaving(mine[0] == std::byte{0});
  return left_.size() == all.size();
}

// To wait for a rank that has left is in vain.
void Heartbeat::note_leaving(bool stays) {
  const auto now = std::chrono::steady_clock::now();
  if (!stays || left_.empty()) return others_left_.reset();
  if (!others_left_) others_left_ = now;
  if (now - *others_left_ > patience_)
    throw lost_others(group_->ranks(), "training together",
                      "the end of the training of rank " + std::to_string(left_.front()));
}

}  // namespace broch::dist
