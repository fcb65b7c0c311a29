// step_limit.hpp: ends a training whose step takes longer than it may. tensorpack:
// `SessionRunTimeout`.
//
// If a step is overdue, a thread says what the step is doing, gives the interrupt a failure, and
// ends waits for data. The step then fails where it waits or, if it comes back by itself, at its
// end. If it does neither, the process ends.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "plan/interrupt.hpp"
#include "train/names.hpp"

namespace broch::train {

class StepLimit {
 public:
  struct Deps {
    double seconds = 0;
    Interrupt* interrupt = nullptr;
    // Called on the thread of this object, while the step is overdue.
    std::function<std::string()> doing;               // "waits for a data point …"
    std::function<void()> cancel;                     // ends waits for data
    std::function<void(const std::string&)> give_up;  // ends the process, for this reason
    double patience_seconds = 5;
  };
  explicit StepLimit(Deps deps);
  ~StepLimit();
  StepLimit(const StepLimit&) = delete;
  StepLimit& operator=(const StepLimit&) = delete;

  // Around each step. limit: nullptr for none. [main]
  class Step {
   public:
    explicit Step(StepLimit* limit) : limit_(limit) {
      if (limit_) limit_->begin();
    }
    ~Step() {
      if (limit_) limit_->begun_ = 0;
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    StepLimit* limit_;
  };

 private:
  void begin();
  void watch();
  void report(double took);
  bool runs(int64_t begun) const { return begun_.load() == begun; }

  Deps deps_;
  std::atomic<int64_t> begun_{0};  // in nanoseconds of the steady clock; 0: no step
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace broch::train
