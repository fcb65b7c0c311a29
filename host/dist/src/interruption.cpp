// interruption.cpp: one lock protects both the waiting calls and the error, so that no call can
// miss it.
#include "dist/interruption.hpp"

namespace broch::dist {

Interruption::Call::Call(Interruption& of, std::function<void()> end) : of_(of) {
  const std::lock_guard lock(of_.mutex_);
  if (of_.why_) end();
  place_ = of_.ends_.insert(of_.ends_.end(), std::move(end));
}

Interruption::Call::~Call() {
  const std::lock_guard lock(of_.mutex_);
  of_.ends_.erase(place_);
}

void Interruption::raise(const base::Error& why) {
  const std::lock_guard lock(mutex_);
  if (why_) return;
  why_ = why;
  for (const auto& end : ends_) end();
}

void Interruption::check() const {
  const std::lock_guard lock(mutex_);
  if (why_) throw base::Error(*why_);
}

}  // namespace broch::dist
