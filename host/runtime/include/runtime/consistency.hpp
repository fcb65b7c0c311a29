// consistency.hpp: predictors on other threads see the variables as they are before or after an
// application of gradients, and never in the middle of it. In the manifest: "consistency": "step".
//
// Holds also on a GPU, since all threads use the default stream of a device: its kernels run in the
// order in which they were launched.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace broch::runtime {

// Either several calls of predictors run, or one change. A change that waits goes before calls that
// come later, so that the training goes on. What runs inside of a change or of a call, on the same
// thread, does not wait. Until require() is called, nobody waits.
class Consistency {
 public:
  // Before the first step. [main]
  void require() { required_ = true; }

  // Around whatever changes several variables. Several changes come one after another. It may call
  // code of plugins, which must not wait for the call of a predictor on another thread.
  class Change {
   public:
    explicit Change(Consistency& all);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    Consistency* all_;  // nullptr: nothing was locked
  };

  // Around the call of a predictor.
  class Call {
   public:
    explicit Call(Consistency& all);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Consistency* all_;  // nullptr: nothing was locked
  };

 private:
  bool is_free_of_waiting() const;

  bool required_ = false;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  uint32_t calls_ = 0, waiting_changes_ = 0;
  bool changing_ = false;
};

}  // namespace broch::runtime
