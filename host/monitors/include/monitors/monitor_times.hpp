// monitor_times.hpp: how long a training waits for its monitors.
//
// Monitors are called between steps, so one that is slow slows down the training. It is named once,
// as soon as it has taken a large share of the time, and at the end with what it took in total.
#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "abi/instance.hpp"
#include "base/ticks.hpp"

namespace broch::monitors {

class MonitorTimes {
 public:
  // One monitor: adds up its time.
  class One {
   public:
    One(MonitorTimes& all, const abi::Instance& monitor) : all_(all), monitor_(monitor) {}

    // Also of a call that throws.
    template <class Call>
    void measure(Call&& call) {
      struct Measured {
        explicit Measured(One& one) : one(one) {}
        ~Measured() { one.add(base::ticks() - begin); }
        One& one;
        uint64_t begin = base::ticks();
      };
      const Measured measured(*this);
      call();
    }

   private:
    friend class MonitorTimes;
    void add(uint64_t ticks) {
      ticks_ += ticks;
      if (ticks_ > look_at_) [[unlikely]]
        look();
    }
    // Names the monitor if it has taken too much, or says when to look again.
    void look() noexcept;

    MonitorTimes& all_;
    const abi::Instance& monitor_;
    uint64_t ticks_ = 0;
    uint64_t look_at_ = 100'000'000;  // some hundredths of a second
    bool named_ = false;
  };

  One& of(const abi::Instance& monitor);
  // Forgets the time of the preparation. Before the first epoch.
  void begin();
  // Logs what those have taken that were named.
  void report() const;

 private:
  std::string share_of(const One& one) const;  // "2.5 seconds, 30% of the time"

  std::deque<One> all_;
  base::TickRate rate_;
  uint64_t begun_ = base::ticks();
};

}  // namespace broch::monitors
