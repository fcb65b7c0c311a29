// monitor_queue.hpp: what a monitor receives later, on a thread of its own.
//
// So a monitor that is slow does not slow down the training. In order to lose nothing without need,
// the training does wait for it where the queue is full and before other calls of the monitor, such
// as those of a checkpoint; but in all of a training only a few seconds and a small part of its
// time. What is not delivered by then is dropped, and counted.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "abi/roles.hpp"
#include "broch/ext/progress.h"
#include "monitors/monitor_calls.hpp"
#include "monitors/monitor_failures.hpp"

namespace broch::monitors {

class MonitorQueue {
 public:
  // now: the counters of the training, which the monitor sees as they were when each call was put.
  MonitorQueue(abi::Instance& monitor, const broch_progress& now, MonitorFailures& failures);
  // Drops what waits. A call that does not return ends the process.
  ~MonitorQueue();
  MonitorQueue(const MonitorQueue&) = delete;
  MonitorQueue& operator=(const MonitorQueue&) = delete;

  const abi::Instance& monitor() const { return monitor_.instance(); }
  template <class Entry>
  bool takes(Entry broch_monitor::*entry) const {
    return monitor_.table().*entry;
  }
  bool takes(abi::QueuedEvents::Event event) const { return events_ && events_->has(event); }

  // From here on, all functions are [main]. Those that wait rethrow a failure that ends a training.
  void put(SharedCall call);
  void put(abi::QueuedEvents::Event event);

  // Waits until everything is delivered; what takes too long is dropped. Until the next put, the
  // monitor is not called then, and sees the counters as they are now. False: it does not return
  // from a call, so that no other call may be made.
  bool settle();
  // The same at the end of the training, where there is more time.
  bool finish();
  bool is_stuck() const;
  // Logs how much was dropped.
  void report() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Event = abi::QueuedEvents::Event;
  struct Item {
    SharedCall call;  // or …
    Event event{};    // … this
    broch_progress progress;
    bool is_step() const { return !call && event == Event::trigger_step; }
    size_t bytes() const { return sizeof *this + (call ? call->bytes : 0); }
  };
  void push(Item item);
  bool joins_last(const Item& item) const;
  bool is_full(const Item& item) const;
  void drop(const Item& item);
  bool settle_within(Clock::duration limit);
  template <class Condition>
  bool wait(std::unique_lock<std::mutex>& lock, Clock::duration limit, Condition&& done);
  Clock::duration patience() const;
  void raise_failure();
  void run();
  void deliver_all(std::unique_lock<std::mutex>& lock);
  void deliver(const Item& item);

  abi::Monitor monitor_;
  std::optional<abi::QueuedEvents> events_;
  const broch_progress& now_;
  broch_progress* seen_;  // what the monitor sees; nullptr: it sees now_
  MonitorFailures& failures_;
  const Clock::time_point begun_ = Clock::now();

  mutable std::mutex mutex_;  // for all that follows
  std::condition_variable changed_, came_on_;
  std::deque<Item> waiting_;
  size_t bytes_ = 0;    // of waiting_
  int hurried_ = 0;     // the training waits
  bool busy_ = false;   // the monitor is being called
  bool stuck_ = false;  // it was, when the time was up
  bool ending_ = false;
  Clock::duration waited_{};
  uint64_t dropped_values_ = 0, dropped_events_ = 0;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace broch::monitors
