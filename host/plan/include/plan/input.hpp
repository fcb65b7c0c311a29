// input.hpp: drives the run's input source: one data point a tower, cursors, end, cancellation.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "abi/roles.hpp"
#include "plan/interrupt.hpp"
#include "plan/names.hpp"
#include "plan/phase_guard.hpp"
#include "runtime/cancel.hpp"
#include "runtime/point.hpp"

namespace broch::plan {

// Which points a point was made of, for messages: "points 17, 3, 42 of dataflow 'arrays' (…)"; ""
// when its source does not say.
std::string point_text(const runtime::Point& point);

// Where each tower's data continues: the cursor of the last point it consumed, "" for none.
using Cursors = std::vector<std::string>;

class Input {
 public:
  Input(abi::Instance& instance, Interrupt& interrupt);

  const std::string& name() const { return source_.instance().name(); }
  abi::Instance& instance() const { return source_.instance(); }
  // For messages: the source, and the dataflows that it draws from.
  std::string describe() const;
  uint32_t flags() const { return source_.flags(); }
  bool is_placeholder() const { return source_.flags() & BROCH_INPUT_PLACEHOLDER; }
  bool is_feed() const { return source_.flags() & BROCH_INPUT_FEED; }
  bool is_staged() const { return source_.flags() & BROCH_INPUT_STAGED; }

  // Once: the signature it serves.
  void setup(const std::vector<abi::InputSpec>& signature);
  // Before set_towers: somebody who asks for points without a plan has that many towers.
  void announce_towers(uint32_t n) { towers_ = std::max(towers_, n); }
  // Before start: how many towers of plans ask for points; the source gets to know of all.
  void set_towers(uint32_t of_plans);
  uint32_t towers() const { return towers_; }
  // Before training: from the beginning, or after the consumed points of an earlier run. A source
  // that cannot resume starts over, with a warning.
  void start(const Cursors& resume_after);
  // BROCH_OK or BROCH_END. Throws Interrupted when the wait was given up because of a signal.
  broch_status next(uint32_t tower, runtime::Point& point);
  // In a call of next; read by the watchdog.
  bool waiting() const { return waiting_.load(std::memory_order_relaxed); }
  // From here on the time in next is added up.
  void measure_waits() { waited_.emplace(0); }
  double waited_seconds() const { return std::chrono::duration<double>(waited_.value()).count(); }
  // The run that took this tower's point is done: its cursor counts, and is taken.
  void consumed(uint32_t tower, runtime::Point& point);
  const Cursors& cursors() const { return cursors_; }
  // The last one that was, in words.
  std::string consumed_text(uint32_t tower) const;
  // How many points of that tower were.
  uint64_t consumed(uint32_t tower) const { return tower < counts_.size() ? counts_[tower] : 0; }
  // While true, next does not give up waiting on a signal; the watchdog ends what hangs.
  void keep_waiting(bool keep) { keep_waiting_ = keep; }
  // False when the source cannot resume, or once a point without a cursor was consumed.
  bool resumes_exactly() const { return source_.can_resume() && !warned_; }
  std::optional<int64_t> size();

  // Ends its threads and waits for them, 5 seconds at most; then it is named and left behind.
  void stop();
  // True when stop gave up: the instance must not be destroyed.
  bool abandoned() const { return abandoned_; }

 private:
  abi::InputSource source_;
  Interrupt& interrupt_;
  Cursors cursors_;
  std::vector<uint64_t> counts_;  // of consumed points, by tower
  struct Origin {
    std::string points;
    const abi::Instance* of = nullptr;
  };
  std::vector<Origin> origins_;  // of the last ones
  uint32_t towers_ = 1;
  std::atomic<bool> waiting_{false};
  std::optional<std::chrono::nanoseconds> waited_;  // while it is measured
  bool warned_ = false;
  bool stopped_ = false;
  bool abandoned_ = false;
  bool keep_waiting_ = false;
  runtime::Cancel end_;  // of this source, whatever signals there were
  PhaseGuard phases_{"input source"};
};

}  // namespace broch::plan
