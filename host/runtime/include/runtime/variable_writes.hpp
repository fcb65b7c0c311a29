// variable_writes.hpp: keeps variables as they are while a thread computes one step several times
// and another one trains.
//
// A write waits until no such pause is under way, and a pause begins between writes. While there is
// no pause, a write costs two atomic additions. Code of plugins runs during a pause and may itself
// wait for the training; so a write waits only for a limited time, and a pause knows whether
// something was written all the same.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace broch::runtime {

class VariableWrites {
 public:
  explicit VariableWrites(std::chrono::milliseconds patience = std::chrono::seconds(30))
      : patience_(patience) {}

  // Around a write to variables. Writes do not wait for each other. No code of plugins may run
  // meanwhile.
  class Write {
   public:
    explicit Write(VariableWrites& writes) : writes_(writes) {
      ++writes_.writing_;
      if (writes_.pauses_ != 0) [[unlikely]]
        writes_.wait_for_pauses();
    }
    ~Write() {
      --writes_.writing_;
      if (writes_.pauses_ != 0) [[unlikely]]
        writes_.notify_pauses();
    }
    Write(const Write&) = delete;
    Write& operator=(const Write&) = delete;

   private:
    VariableWrites& writes_;
  };

  // As long as it lives, other threads do not write, unless it is broken. There may be several at a
  // time. A write on the thread of the pause itself breaks it.
  class Pause {
   public:
    explicit Pause(VariableWrites& writes);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    bool broken() const;

   private:
    friend class VariableWrites;
    VariableWrites& writes_;
    const Pause* outer_;       // of this thread
    uint64_t intrusions_ = 0;  // when it began
  };

 private:
  bool is_paused_here() const;
  void wait_for_pauses();
  void notify_pauses();
  bool have_ended(std::unique_lock<std::mutex>& lock);

  // Sequentially consistent: of a write and a pause that begin, at least one sees the other.
  std::atomic<uint32_t> writing_{0}, pauses_{0};
  mutable std::mutex mutex_;  // guards the members below; pauses_ changes under it
  std::condition_variable changed_;
  std::chrono::milliseconds patience_;
  uint32_t waiting_ = 0;     // writes that wait for pauses to end; new pauses let them go first
  uint64_t intrusions_ = 0;  // writes that did not wait until all pauses had ended
};

}  // namespace broch::runtime
