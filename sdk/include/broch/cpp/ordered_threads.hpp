// ordered_threads.hpp: threads that prepare items ahead of time; the items leave in their order.
// Not part of broch.hpp.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cancel_source.hpp"
#include "scope.hpp"

namespace broch {
inline namespace v0 {

// A failure leaves at the place of its item, and no item is begun after it, unless the item turns
// out to be one that is left out.
template <class Item>
class OrderedThreads {
 public:
  // What the threads do. Both must return within 2 seconds after cancel.
  struct Work {
    // Begins the next item: one call at a time, in the order of the items. No value: the end.
    std::function<std::optional<Item>(const broch_cancel*)> begin;
    // Completes an item; called on several threads at once.
    std::function<void(Item&, const broch_cancel*)> complete;
    // Optional: whether an item is left out, also if completing it has failed: threads may have
    // read on behind the end of a round, as in a mix. Called by take, when it is the item's turn.
    // It must be quick.
    std::function<bool(const Item&)> is_left_out;
  };

  // capacity: the maximal number of items that are begun and not taken. name: of the threads, for
  // messages.
  OrderedThreads(const Host& host, const std::string& name, size_t threads, size_t capacity,
                 Work work)
      : host_(host),
        name_(name),
        work_(std::move(work)),
        capacity_(capacity),
        refill_(capacity - (capacity + 3) / 4) {
    try {
      for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (...) {
      stop();
      throw;
    }
  }
  ~OrderedThreads() { stop(); }
  OrderedThreads(const OrderedThreads&) = delete;
  OrderedThreads& operator=(const OrderedThreads&) = delete;

  // The next item; no value: there are no more. Throws what a function of Work threw for this item,
  // now and in each later call, and Cancelled. One call at a time.
  std::optional<Item> take(const Cancel& cancel) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      while (!is_next_known()) {
        filled_.wait_for(lock, std::chrono::milliseconds(50));
        if (!is_next_known() && cancel.cancelled()) throw Cancelled();
      }
      if (slots_.empty()) return std::nullopt;
      Slot& slot = slots_.front();
      const bool is_left_out = slot.item && work_.is_left_out && work_.is_left_out(*slot.item);
      if (slot.failure && !is_left_out) std::rethrow_exception(slot.failure);
      std::optional<Item> item(std::move(slot.item));
      const bool wakes = pop();
      if (is_left_out) {
        if (wakes) room_.notify_one();
        continue;
      }
      lock.unlock();
      if (wakes) room_.notify_one();
      return item;
    }
  }
  // The number of items that are complete and not taken.
  size_t ready() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return ready_;
  }
  // Ends the threads and waits for them. May be called twice; then nothing may be taken any more.
  void stop() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      cancel_.cancel();
    }
    room_.notify_all();
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

 private:
  struct Slot {
    std::optional<Item> item;
    std::exception_ptr failure;
    bool ready = false;
  };

  bool is_next_known() const { return slots_.empty() ? ended_ : slots_.front().ready; }

  // Removes the first slot, which is ready. Whether a thread may be waiting for that.
  bool pop() {
    const bool has_failed = bool(slots_.front().failure);
    --(has_failed ? failures_ : ready_);
    slots_.pop_front();
    return has_failed || slots_.size() == refill_;
  }

  void run() noexcept {
    try {
      const ThreadScope scope(host_, name_);
      while (Slot* slot = begin()) complete(*slot);
    } catch (...) {
      std::lock_guard<std::mutex> turn(turn_);
      std::lock_guard<std::mutex> lock(mutex_);
      slots_.emplace_back();
      settle(slots_.back(), std::current_exception());
    }
  }

  // nullptr: this thread has nothing more to do.
  Slot* begin() {
    std::lock_guard<std::mutex> turn(turn_);
    Slot* const slot = reserve();
    if (!slot) return nullptr;
    std::exception_ptr failure;
    try {
      slot->item = work_.begin(cancel_.c());
      if (slot->item) return slot;
    } catch (...) {
      failure = current_failure();
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure) {
      settle(*slot, failure);
    } else {
      slots_.pop_back();
      ended_ = true;
      filled_.notify_all();
    }
    return nullptr;
  }

  // Waking a thread costs 10 us. So one that has found no room sleeps until there is room for
  // several items, and the others wait for their turn meanwhile.
  Slot* reserve() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (slots_.size() >= capacity_ || failures_ > 0)
      room_.wait(lock, [this] {
        return (slots_.size() <= refill_ && failures_ == 0) || cancel_.cancelled();
      });
    if (ended_ || cancel_.cancelled()) return nullptr;
    slots_.emplace_back();
    return &slots_.back();
  }

  void complete(Slot& slot) {
    std::exception_ptr failure;
    try {
      if (work_.complete) work_.complete(*slot.item, cancel_.c());
    } catch (...) {
      failure = current_failure();
    }
    std::lock_guard<std::mutex> lock(mutex_);
    settle(slot, failure);
  }

  // With mutex_ locked.
  void settle(Slot& slot, const std::exception_ptr& failure) {
    slot.failure = failure;
    slot.ready = true;
    ++(failure ? failures_ : ready_);
    if (!slot.item) ended_ = true;
    if (&slot == &slots_.front()) filled_.notify_all();
  }

  // Cancelled must not reach the reader as if its own cancel had been meant.
  std::exception_ptr current_failure() const {
    try {
      throw;
    } catch (const Cancelled&) {
      return std::make_exception_ptr(
          Error(BROCH_E_ABORTED, "a dataflow gave up waiting although nothing asked it to"));
    } catch (...) {
      return std::current_exception();
    }
  }

  Host host_;
  std::string name_;
  Work work_;
  size_t capacity_, refill_;  // a full row of slots is filled again from this length on
  CancelSource cancel_;
  std::mutex turn_;  // held by the thread that begins an item; locked before mutex_

  mutable std::mutex mutex_;
  std::condition_variable filled_, room_;
  std::deque<Slot> slots_;  // from here on: guarded by mutex_. A deque leaves references valid.
  size_t ready_ = 0, failures_ = 0;  // slots that are complete, and that have failed
  bool ended_ = false;               // no more items are begun
  std::vector<std::thread> threads_;
};

}  // namespace v0
}  // namespace broch
