// consistency.cpp: a lock for calls and changes, in which changes go first.
#include "runtime/consistency.hpp"

namespace broch::runtime {
namespace {

// The lock that this thread holds. It could only wait for itself there.
thread_local constinit const Consistency* held = nullptr;

}  // namespace

bool Consistency::is_free_of_waiting() const { return !required_ || held == this; }

Consistency::Change::Change(Consistency& all) : all_(all.is_free_of_waiting() ? nullptr : &all) {
  if (!all_) return;
  std::unique_lock lock(all_->mutex_);
  ++all_->waiting_changes_;
  all_->changed_.wait(lock, [this] { return !all_->changing_ && all_->calls_ == 0; });
  --all_->waiting_changes_;
  all_->changing_ = true;
  held = all_;
}

Consistency::Change::~Change() {
  if (!all_) return;
  held = nullptr;
  const std::lock_guard lock(all_->mutex_);
  all_->changing_ = false;
  all_->changed_.notify_all();
}

Consistency::Call::Call(Consistency& all) : all_(all.is_free_of_waiting() ? nullptr : &all) {
  if (!all_) return;
  std::unique_lock lock(all_->mutex_);
  all_->changed_.wait(lock, [this] { return !all_->changing_ && all_->waiting_changes_ == 0; });
  ++all_->calls_;
  held = all_;
}

Consistency::Call::~Call() {
  if (!all_) return;
  held = nullptr;
  const std::lock_guard lock(all_->mutex_);
  if (--all_->calls_ == 0) all_->changed_.notify_all();
}

}  // namespace broch::runtime
