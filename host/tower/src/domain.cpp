// domain.cpp: numbers calls; a number is never used twice.
#include "domain.hpp"

#include <atomic>

#include "tower_call.hpp"

namespace broch::tower {
namespace {

uint64_t next_id() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

thread_local constinit Domain* Domain::top_ = nullptr;

Domain::Domain(TowerCall* call, Operators operators)
    : id_(next_id()),
      call_(call),
      operators_(operators),
      outer_(top_),
      mark_(abi::Arena::of_this_thread().mark()) {
  top_ = this;
  abi::thread_state().domain = id_;
}

Domain::~Domain() {
  while (pop_no_grad()) {
  }
  abi::Arena::of_this_thread().cut(mark_);
  top_ = outer_;
  abi::thread_state().domain = outer_ ? outer_->id_ : 0;
}

CallTape* Domain::tape() const {
  const TowerCall* const call = tower_call();
  return call ? call->tape() : nullptr;
}

void Domain::push_no_grad(Backend& backend) {
  no_grad_.push_back(backend.enter(/*gradients=*/false, tower_call()));
}

void Domain::record_gradients(Backend& backend) {
  if (recording_) return;
  const size_t open = no_grad_.size();
  while (pop_no_grad()) {
  }
  recording_ = backend.enter(/*gradients=*/true, tower_call());
  while (no_grad_.size() < open) push_no_grad(backend);
}

bool Domain::pop_no_grad() {
  if (no_grad_.empty()) return false;
  no_grad_.pop_back();
  return true;
}

}  // namespace broch::tower
