// variable_writes.cpp: what happens if a write and a pause meet.
#include "runtime/variable_writes.hpp"

#include <utility>

#include "base/log.hpp"

namespace broch::runtime {
namespace {

thread_local constinit const VariableWrites::Pause* innermost = nullptr;

}  // namespace

VariableWrites::Pause::Pause(VariableWrites& writes) : writes_(writes), outer_(innermost) {
  std::unique_lock lock(writes_.mutex_);
  if (!writes_.is_paused_here())
    writes_.changed_.wait(lock, [this] { return writes_.waiting_ == 0; });
  ++writes_.pauses_;
  writes_.changed_.wait(lock, [this] { return writes_.writing_ == 0; });
  intrusions_ = writes_.intrusions_;
  innermost = this;
}

VariableWrites::Pause::~Pause() {
  innermost = outer_;
  const std::lock_guard lock(writes_.mutex_);
  --writes_.pauses_;
  writes_.changed_.notify_all();
}

bool VariableWrites::Pause::broken() const {
  const std::lock_guard lock(writes_.mutex_);
  return writes_.intrusions_ != intrusions_;
}

bool VariableWrites::is_paused_here() const {
  for (const Pause* pause = innermost; pause; pause = pause->outer_)
    if (&pause->writes_ == this) return true;
  return false;
}

// The write has announced itself already, which it takes back while it waits.
void VariableWrites::wait_for_pauses() {
  std::unique_lock lock(mutex_);
  --writing_;
  ++waiting_;
  changed_.notify_all();
  if (!have_ended(lock)) ++intrusions_;
  --waiting_;
  ++writing_;
  changed_.notify_all();
}

bool VariableWrites::have_ended(std::unique_lock<std::mutex>& lock) {
  if (is_paused_here()) return false;
  const auto ended = [this] { return pauses_ == 0; };
  if (changed_.wait_for(lock, patience_, ended)) return true;
  if (std::exchange(patience_, {}).count() != 0)
    base::warning(
        "a recorded program is being compared with an eager step in another thread, and the "
        "training has waited for it for too long; it goes on, and such comparisons will be made "
        "again while no variable is written\n  hint: a tower function and its kernels must not "
        "wait for the training");
  return false;
}

void VariableWrites::notify_pauses() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace broch::runtime
