// tower_meeting.cpp: the tower that arrives last computes the sum for all.
#include "tower/tower_meeting.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/waiting.hpp"
#include "runtime/dlpack.hpp"

namespace broch::tower {
namespace {

struct Seat {
  TowerMeeting* meeting;
  size_t tower;
};
thread_local constinit Seat* seat = nullptr;

class Seated {
 public:
  explicit Seated(Seat& own) : outer_(std::exchange(seat, &own)) {}
  ~Seated() { seat = outer_; }
  Seated(const Seated&) = delete;
  Seated& operator=(const Seated&) = delete;

 private:
  Seat* outer_;
};

std::string in_words(const std::string& what, const broch_dl_tensor& tensor) {
  return what + " of float" + std::to_string(tensor.dtype.bits) + " " +
         base::shape_text({tensor.shape, static_cast<size_t>(tensor.ndim)});
}

template <class Number>
void add(std::span<std::byte> sum, const void* more) {
  auto* const to = reinterpret_cast<Number*>(sum.data());
  const auto* const from = static_cast<const Number*>(more);
  for (size_t i = 0; i < sum.size() / sizeof(Number); ++i) to[i] += from[i];
}

void add(const broch_dl_tensor& like, std::span<std::byte> sum, const void* more) {
  like.dtype.bits == 64 ? add<double>(sum, more) : add<float>(sum, more);
}

}  // namespace

TowerMeeting::TowerMeeting(size_t towers, Name name, bool in_turn, AcrossRanks ranks,
                           const std::recursive_mutex* held)
    : towers_(towers),
      name_(std::move(name)),
      in_turn_(in_turn),
      ranks_(std::move(ranks)),
      held_(held),
      looks_(base::looks_for(towers)),
      arrivals_(towers),
      has_ended_(towers) {}

TowerMeeting* TowerMeeting::current() { return seat ? seat->meeting : nullptr; }

// Waits until the condition holds and it is this tower's turn. After a failure each tower gets one
// more turn, so that they leave their steps one at a time.
template <class Condition>
void TowerMeeting::await(Lock& lock, size_t tower, Condition&& condition) {
  while (!has_turn(tower) || (!failure_ && !condition())) {
    const uint32_t seen = changes_.load(std::memory_order_relaxed);
    lock.unlock();
    base::wait_for_change(changes_, seen, in_turn_ ? 0 : looks_);
    lock.lock();
  }
}

void TowerMeeting::attend(size_t tower, const std::function<void()>& step) {
  Seat own{this, tower};
  const Seated seated(own);
  try {
    if (begins(tower)) step();
  } catch (...) {
    return leave(tower, std::current_exception());
  }
  leave(tower, nullptr);
}

// Returns false if another tower has already failed.
bool TowerMeeting::begins(size_t tower) {
  Lock lock(mutex_);
  await(lock, tower, [] { return true; });
  return !failure_;
}

void TowerMeeting::finish() const {
  if (failure_) std::rethrow_exception(failure_);
}

void TowerMeeting::notify() {
  changes_.fetch_add(1, std::memory_order_release);
  changes_.notify_all();
}

void TowerMeeting::pass_on(size_t tower) { give_turn(failure_ ? 0 : tower + 1); }

// Gives the turn to the first tower from `first` on that has not ended; to none if all have.
void TowerMeeting::give_turn(size_t first) {
  turn_ = first;
  while (turn_ < towers_ && has_ended_[turn_]) ++turn_;
}

void TowerMeeting::leave(size_t tower, std::exception_ptr failure) {
  const Lock lock(mutex_);
  if (failure && !failure_) failure_ = std::move(failure);
  has_ended_[tower] = true;
  ++ended_;
  pass_on(tower);
  if (arrived_ > 0 && arrived_ + ended_ == towers_) conclude();
  notify();
}

uint32_t TowerMeeting::sum(const std::string& what, const broch_dl_tensor& mine,
                           const broch_dl_tensor& result) {
  const size_t tower = seat->tower;
  Lock lock(mutex_);
  if (!failure_) {
    const uint64_t round = round_;
    arrivals_[tower] = {&what, &mine};
    ++arrived_;
    pass_on(tower);
    if (arrived_ + ended_ == towers_) conclude();
    notify();
    await(lock, tower, [&] { return round_ != round; });
  }
  if (failure_) abandon();
  // sum_ stays valid: the next round is not summed before this tower has reached it.
  if (const size_t bytes = dl_bytes(result)) std::memcpy(result.data, sum_.data(), bytes);
  return summands();
}

void TowerMeeting::conclude() {
  if (failure_) return;
  try {
    check_arrivals();
    add_up();
  } catch (...) {
    failure_ = std::current_exception();
  }
  arrived_ = 0;
  ++round_;
  give_turn(0);
}

void TowerMeeting::check_arrivals() const {
  const auto arrival = [&](size_t tower) {
    return has_ended_[tower] ? "the end of its step"
                             : in_words(*arrivals_[tower].what, *arrivals_[tower].mine);
  };
  for (size_t i = 1; i < towers_; ++i) {
    const std::string first = arrival(0), other = arrival(i);
    if (first == other) continue;
    throw base::Error{base::Exit::training,
                      {"towers that meet in a step",
                       name_(0) + " comes to " + first + ", " + name_(i) + " to " + other,
                       "the same calls of all_reduce, with the same shapes, in every tower",
                       "let the tower function build the same in every tower"}};
  }
}

void TowerMeeting::add_up() {
  const broch_dl_tensor& first = *arrivals_[0].mine;
  sum_.resize(dl_bytes(first));
  if (sum_.empty()) return;
  std::memcpy(sum_.data(), first.data, sum_.size());
  for (size_t i = 1; i < towers_; ++i) add(first, sum_, arrivals_[i].mine->data);
  if (ranks_.count < 2) return;
  std::vector<std::byte> all(sum_.size() * ranks_.count);
  std::vector<std::span<std::byte>> parts;
  for (uint32_t rank = 0; rank < ranks_.count; ++rank)
    parts.push_back(std::span(all).subspan(rank * sum_.size(), sum_.size()));
  ranks_.gather(sum_, parts);
  std::ranges::copy(parts[0], sum_.begin());
  for (uint32_t rank = 1; rank < ranks_.count; ++rank) add(first, sum_, parts[rank].data());
}

void TowerMeeting::abandon() const {
  throw base::Error{base::Exit::training,
                    {"all_reduce in " + name_(seat->tower), "another tower of this step failed",
                     "all towers", ""}};
}

}  // namespace broch::tower
