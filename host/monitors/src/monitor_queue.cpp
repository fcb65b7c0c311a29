// monitor_queue.cpp: a bounded queue and the thread that empties it.
#include "monitors/monitor_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/deadline.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/signals.hpp"
#include "monitors/progress_page.hpp"

namespace broch::monitors {

using namespace std::chrono_literals;

namespace {

constexpr size_t kMostCalls = 50'000, kMostBytes = 64 << 20;
// How long the training waits: at once, and in all without the share of its time.
constexpr auto kPatience = 5s;
constexpr int kShare = 100;
// The thread looks for work at most so often, because each time it takes the processor from a step.
constexpr auto kPause = 20ms;

broch_progress* counters_of(const abi::Instance& monitor) {
  auto* const page = monitor.context().find<ProgressPage>();
  return page ? &page->separate(monitor) : nullptr;
}

std::optional<abi::QueuedEvents> events_of(abi::Instance& monitor) {
  if (!abi::Callback::plays(monitor)) return std::nullopt;
  return abi::QueuedEvents::make(monitor);
}

// 1234567 as "1,234,567".
std::string grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

}  // namespace

MonitorQueue::MonitorQueue(abi::Instance& monitor, const broch_progress& now,
                           MonitorFailures& failures)
    : monitor_(abi::Monitor::make_queued(monitor)),
      events_(events_of(monitor)),
      now_(now),
      seen_(counters_of(monitor)),
      failures_(failures),
      thread_([this] { run(); }) {
  if (seen_) *seen_ = now;
}

MonitorQueue::~MonitorQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  const base::Deadline deadline(monitor().label() + " in " + monitor().spec().file,
                                "what its queue has called", base::kLoadSeconds,
                                monitor().context().outcome());
  thread_.join();
}

void MonitorQueue::put(SharedCall call) { push({std::move(call), {}, now_}); }

void MonitorQueue::put(Event event) { push({nullptr, event, now_}); }

void MonitorQueue::push(Item item) {
  std::unique_lock lock(mutex_);
  raise_failure();
  if (joins_last(item)) {
    waiting_.back() = std::move(item);
    return;
  }
  if (!wait(lock, patience(), [&] { return !is_full(item); })) return drop(item);
  bytes_ += item.bytes();
  waiting_.push_back(std::move(item));
  if (waiting_.size() == 1) changed_.notify_all();
}

// The first step after a value says to which step the value belongs; of the steps behind it, in
// which nothing was reported, the last one will do.
bool MonitorQueue::joins_last(const Item& item) const {
  const size_t n = waiting_.size();
  return item.is_step() && n > 1 && waiting_[n - 1].is_step() && waiting_[n - 2].is_step();
}

bool MonitorQueue::is_full(const Item& item) const {
  if (waiting_.empty()) return false;
  return waiting_.size() >= kMostCalls || bytes_ + item.bytes() > kMostBytes;
}

void MonitorQueue::drop(const Item& item) {
  if (dropped_values_ + dropped_events_ == 0)
    base::warning("monitor '" + monitor().name() +
                  "' is too slow, so that values for it are dropped; the end of this log will say "
                  "how many");
  if (item.call)
    dropped_values_ += item.call->values;
  else
    ++dropped_events_;
}

bool MonitorQueue::settle() {
  Clock::duration limit;
  {
    const std::lock_guard lock(mutex_);
    limit = patience();
  }
  return settle_within(limit);
}

bool MonitorQueue::finish() { return settle_within(kPatience); }

bool MonitorQueue::settle_within(Clock::duration limit) {
  std::unique_lock lock(mutex_);
  const auto idle = [this] { return waiting_.empty() && !busy_; };
  const bool was_stuck = stuck_ && busy_;
  if (!wait(lock, was_stuck ? 0s : limit, idle)) {
    for (const Item& item : waiting_) drop(item);
    waiting_.clear();
    bytes_ = 0;
    stuck_ = !wait(lock, was_stuck ? 0s : Clock::duration(kPatience), idle);
    if (stuck_ && !was_stuck)
      base::error("monitor '" + monitor().name() +
                  "' does not return from a call; the training goes on without it");
    if (stuck_) return false;
  }
  stuck_ = false;
  if (seen_) *seen_ = now_;
  raise_failure();
  return true;
}

bool MonitorQueue::is_stuck() const {
  const std::lock_guard lock(mutex_);
  return stuck_ && busy_;
}

void MonitorQueue::report() const {
  const std::lock_guard lock(mutex_);
  if (dropped_values_ + dropped_events_ == 0) return;
  std::string text = "monitor '" + monitor().name() +
                     "' was too slow: " + grouped(dropped_values_) +
                     (dropped_values_ == 1 ? " value was dropped" : " values were dropped");
  if (dropped_events_ > 0)
    text += ", and " + base::counted(int64_t(dropped_events_), "event") + " of the training";
  base::warning(text);
}

// Waits until the thread has come so far.
template <class Condition>
bool MonitorQueue::wait(std::unique_lock<std::mutex>& lock, Clock::duration limit,
                        Condition&& done) {
  if (done()) return true;
  const Clock::time_point start = Clock::now();
  ++hurried_;
  changed_.notify_all();
  const bool came = came_on_.wait_for(lock, limit, done);
  --hurried_;
  waited_ += Clock::now() - start;
  return came;
}

MonitorQueue::Clock::duration MonitorQueue::patience() const {
  const Clock::duration left = kPatience + (Clock::now() - begun_) / kShare - waited_;
  return std::clamp(left, Clock::duration::zero(), Clock::duration(kPatience));
}

void MonitorQueue::raise_failure() {
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

void MonitorQueue::run() {
  base::block_signals();
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    changed_.wait_for(lock, kPause, [this] { return ending_ || hurried_ > 0; });
    if (ending_) return;
    deliver_all(lock);
  }
}

void MonitorQueue::deliver_all(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty()) {
    const Item item = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= item.bytes();
    busy_ = true;
    lock.unlock();
    deliver(item);
    lock.lock();
    busy_ = false;
    if (hurried_ > 0) came_on_.notify_all();
  }
}

// A failure that ends a training does so with the next value.
void MonitorQueue::deliver(const Item& item) {
  if (seen_) *seen_ = item.progress;
  try {
    failures_.pass_over(monitor(),
                        [&] { item.call ? item.call->make(monitor_) : events_->call(item.event); });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

}  // namespace broch::monitors
