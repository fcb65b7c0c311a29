// tower_meeting.hpp: towers that exchange values in the middle of their steps, as synchronized
// batch norm does. No tower continues past an exchange before all have reached it.
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

// The ranks that compute the same step.
struct AcrossRanks {
  uint32_t count = 1;
  // Exchanges bytes: afterwards all[r] holds those of rank r.
  std::function<void(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all)>
      gather;
};

class TowerMeeting {
 public:
  using Name = std::function<std::string(size_t tower)>;  // name of a tower, for messages
  // in_turn: the towers call code of plugins, so only one computes at a time; the next one starts
  // when it waits for the others. held: the lock of the model instance; the creator of this object
  // holds it.
  TowerMeeting(size_t towers, Name name, bool in_turn, AcrossRanks ranks = {},
               const std::recursive_mutex* held = nullptr);

  // Computes the step of one tower, from beginning to end. Each tower calls this on its own
  // thread.
  void attend(size_t tower, const std::function<void()>& step);
  // To be called after all steps have ended. Rethrows the first failure of a step.
  void finish() const;

  // The meeting of the step that this thread computes; nullptr if it computes alone.
  static TowerMeeting* current();
  bool holds(const std::recursive_mutex& lock) const { return &lock == held_; }
  uint32_t summands() const { return static_cast<uint32_t>(towers_) * ranks_.count; }
  // Called within steps; all towers make the same calls in the same order. result: the sum over
  // towers in their order, then over ranks. Both tensors are contiguous and row-major. Returns the
  // number of summands. Throws base::Error if towers make different calls or another tower failed.
  uint32_t sum(const std::string& what, const broch_dl_tensor& mine, const broch_dl_tensor& result);

 private:
  struct Arrival {
    const std::string* what;
    const broch_dl_tensor* mine;
  };
  using Lock = std::unique_lock<std::mutex>;
  template <class Condition>
  void await(Lock& lock, size_t tower, Condition&& condition);
  bool has_turn(size_t tower) const { return !in_turn_ || turn_ == tower; }
  void notify();
  bool begins(size_t tower);
  void pass_on(size_t tower);
  void give_turn(size_t first);
  void leave(size_t tower, std::exception_ptr failure);
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
  std::atomic<uint32_t> changes_{0};  // counts changes of the members below
  size_t turn_ = 0;
  size_t arrived_ = 0;  // number of towers that wait in this round
  size_t ended_ = 0;
  uint64_t round_ = 0;
  std::vector<Arrival> arrivals_;  // by tower
  std::vector<bool> has_ended_;
  std::vector<std::byte> sum_;
  std::exception_ptr failure_;
};

}  // namespace broch::tower
