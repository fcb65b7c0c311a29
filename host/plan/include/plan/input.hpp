// input.hpp: the run's input source: data points for towers, cursors, end of data, cancellation.
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

// Names the points that a data point was made of, for messages: "points 17, 3, 42 of dataflow
// 'arrays' (…)"; "" if its source does not report them.
std::string point_text(const runtime::Point& point);

// By tower: the cursor of the last data point it consumed, where its data continue; "" for none.
// The last element is always the newest; if tower t below the last one took the newest point,
// cursors[t] is repeated at the end.
using Cursors = std::vector<std::string>;

class Input {
 public:
  Input(abi::Instance& instance, Interrupt& interrupt);

  const std::string& name() const { return source_.instance().name(); }
  abi::Instance& instance() const { return source_.instance(); }
  // For messages: the source and the dataflows it reads from.
  std::string describe() const;
  uint32_t flags() const { return source_.flags(); }
  bool is_placeholder() const { return source_.flags() & BROCH_INPUT_PLACEHOLDER; }
  bool is_feed() const { return source_.flags() & BROCH_INPUT_FEED; }
  bool is_staged() const { return source_.flags() & BROCH_INPUT_STAGED; }

  // Call once. signature: the inputs of the model. names: those for which the source has data, in
  // the order of its components; empty: all. Throws base::Error if one of them is unknown.
  void setup(const std::vector<abi::InputSpec>& signature,
             const std::vector<std::string>& names = {});
  // The inputs for which it has data; whether these are other ones than those of the model, or in
  // another order; whether this one of the model is among them.
  const std::vector<abi::InputSpec>& signature() const { return signature_; }
  bool is_remapped() const { return !places_.empty(); }
  bool provides(size_t input) const;
  // Makes the tensors of signature(), in its order, those of the inputs of the model; the others
  // are those of `rest`, or undefined.
  void place(std::vector<runtime::Tensor>& tensors, std::vector<runtime::Tensor> rest = {}) const;
  // Announces a user that takes points without a plan and has this number of towers. Call before
  // set_towers.
  void announce_towers(uint32_t n) { towers_ = std::max(towers_, n); }
  // Sets how many towers of plans take points, and passes the total to the source. Call before
  // start.
  void set_towers(uint32_t of_plans);
  uint32_t towers() const { return towers_; }
  // Starts from the beginning, or after the points that an earlier run consumed. A source that
  // cannot resume starts over, with a warning. Call before training.
  void start(const Cursors& resume_after);
  // Returns BROCH_OK or BROCH_END. Throws Interrupted if a signal ended the wait.
  broch_status next(uint32_t tower, runtime::Point& point);
  // True during a call of next. The watchdog reads it.
  bool waiting() const { return waiting_.load(std::memory_order_relaxed); }
  // From now on the time spent in next is summed.
  void measure_waits() { waited_.emplace(0); }
  double waited_seconds() const { return std::chrono::duration<double>(waited_.value()).count(); }
  // The execution that used this tower's point is done: records its cursor, which is moved from
  // the point.
  void consumed(uint32_t tower, runtime::Point& point);
  Cursors cursors() const;
  // Whether the cursors mean the same on every rank, so that a run can be resumed with another
  // number of ranks. False before the first point.
  bool cursors_fit_any_rank() const { return any_rank_; }
  // Describes the last consumed point.
  std::string consumed_text(uint32_t tower) const;
  // Number of points that the tower has consumed.
  uint64_t consumed(uint32_t tower) const { return tower < counts_.size() ? counts_[tower] : 0; }
  // While true, a signal does not end the wait in next; the watchdog ends the process if it hangs.
  void keep_waiting(bool keep) { keep_waiting_ = keep; }
  // False if the source cannot resume, or once a point without a cursor was consumed.
  bool resumes_exactly() const { return source_.can_resume() && !warned_; }
  std::optional<int64_t> size();
  // What size returned when the source was started.
  std::optional<int64_t> size_at_start() const { return size_at_start_; }

  // Ends its waits for good. [any]
  void cancel();
  // Stops the source and waits for its threads, for at most 5 seconds; then it is named in the log
  // and abandoned.
  void stop();
  // True if stop gave up waiting; the instance must not be destroyed then.
  bool abandoned() const { return abandoned_; }

 private:
  void take_over(const Cursors& cursors);

  abi::InputSource source_;
  Interrupt& interrupt_;
  std::vector<abi::InputSpec> signature_;
  std::vector<size_t> places_;  // of signature_ in the inputs of the model; empty: the same
  size_t inputs_of_model_ = 0;
  Cursors cursors_;               // by tower
  size_t newest_ = 0;             // the tower that consumed the last point
  std::vector<uint64_t> counts_;  // number of consumed points, by tower
  struct Origin {
    std::string points;
    const abi::Instance* of = nullptr;
  };
  std::vector<Origin> origins_;  // of the last consumed points, by tower
  uint32_t towers_ = 1;
  std::atomic<bool> waiting_{false};
  std::optional<std::chrono::nanoseconds> waited_;  // set while time is measured
  bool warned_ = false;
  bool any_rank_ = false;  // of the last consumed point
  std::optional<int64_t> size_at_start_;
  bool stopped_ = false;
  bool abandoned_ = false;
  bool keep_waiting_ = false;
  runtime::Cancel end_;  // cancels this source only, independent of signals
  PhaseGuard phases_{"input source"};
};

}  // namespace broch::plan
