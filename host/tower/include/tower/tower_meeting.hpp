// tower_meeting.hpp: towers that exchange values in the middle of their steps, as synchronised
// batch norm does. A step is computed segment by segment: none goes on before all have come.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "broch/dlpack.h"
#include "tower/names.hpp"

namespace broch::tower {

// Ranks that compute the same step.
struct AcrossRanks {
  uint32_t count = 1;
  // Everybody's bytes, by rank.
  std::function<void(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all)>
      gather;
};

class TowerMeeting {
 public:
  using Name = std::function<std::string(size_t place)>;  // of a tower, for messages
  // in_turn: they call plugins' code, so that one computes at a time, in their order, until it
  // waits for the others. held: the lock of their model's instance, which whoever makes this has.
  TowerMeeting(size_t towers, Name name, bool in_turn, AcrossRanks ranks = {},
               const std::recursive_mutex* held = nullptr);

  // The step of one tower, from its beginning to its end; each on a thread of its own.
  void attend(size_t place, const std::function<void()>& step);
  // After all: throws what the first step that failed threw.
  void finish() const;

  // That of the step which this thread computes; nullptr: nobody else takes part.
  static TowerMeeting* current();
  bool holds(const std::recursive_mutex& lock) const { return &lock == held_; }
  // By attending steps, all the same in the same order. result: the sum over towers in their order,
  // then over ranks; both lie row-major without gaps. Returns how many were added. Throws
  // base::Error where towers differ in what they call, or another one failed.
  uint32_t sum(const std::string& what, const broch_dl_tensor& mine, const broch_dl_tensor& result);

 private:
  struct Arrival {
    const std::string* what;
    const broch_dl_tensor* mine;
  };
  using Lock = std::unique_lock<std::mutex>;
  template <class Condition>
  void await(Lock& lock, size_t place, Condition&& condition);
  bool has_turn(size_t place) const { return !in_turn_ || turn_ == place; }
  void tell();
  bool begins(size_t place);
  void pass_on(size_t place);
  void give_turn(size_t first);
  void leave(size_t place, std::exception_ptr failure);
  void conclude();
  void check_arrivals() const;
  void add_up();
  [[noreturn]] void abandon() const;

  const size_t towers_;
  const Name name_;
  const bool in_turn_;
  const AcrossRanks ranks_;
  const std::recursive_mutex* const held_;
  const int looks_;
  std::mutex mutex_;
  std::atomic<uint32_t> changes_{0};  // of what follows
  size_t turn_ = 0;
  size_t arrived_ = 0;  // in this round
  size_t ended_ = 0;
  uint64_t round_ = 0;
  std::vector<Arrival> arrivals_;  // by tower
  std::vector<bool> has_ended_;
  std::vector<std::byte> sum_;
  std::exception_ptr failure_;
};

}  // namespace broch::tower
