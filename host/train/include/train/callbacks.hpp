// callbacks.hpp: the ordered list of callbacks, and the events that are passed to them.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/roles.hpp"
#include "base/clock.hpp"
#include "base/ticks.hpp"
#include "plan/interrupt.hpp"
#include "plan/stop.hpp"
#include "train/names.hpp"

namespace broch::train {

// The events in which the time of each callback is measured.
enum class TimedEvent : uint8_t {
  before_epoch,
  before_run,
  after_run,
  trigger_step,
  after_epoch,
  trigger_epoch
};
inline constexpr size_t kTimedEvents = 6;
const char* event_name(TimedEvent event);

// What one callback wants of hooked runs: declared in setup_graph, selected in each before_run.
struct Wants {
  std::vector<uint32_t> fetches;  // entries of the fetch table; the index is the bit in mask
  std::vector<uint32_t> feeds;    // names of the fetch table; the index is the id
  uint64_t all = 0;               // all declared bits
  uint64_t mask = 0;              // wanted in the current hooked run …
  uint64_t gathered = 0;          // … and in the one for which fetches were last collected
  bool summaries = false;         // wanted in the current hooked run
};

// One entry of the list: a plugin or a part of the host. Events that are not overridden do
// nothing.
class CallbackSlot {
 public:
  // A plugin; nullptr: one that is called on rank 0 alone.
  CallbackSlot(std::string name, abi::Instance* instance)
      : name_(std::move(name)), key_(name_), instance_(instance) {}
  // A part of the host.
  explicit CallbackSlot(const char* part) : name_(part), key_("/" + name_), instance_(nullptr) {}
  virtual ~CallbackSlot() = default;
  CallbackSlot(const CallbackSlot&) = delete;
  CallbackSlot& operator=(const CallbackSlot&) = delete;

  const std::string& name() const { return name_; }
  abi::Instance* instance() const { return instance_; }  // nullptr: a part of the host
  // By which a resumed run finds the entry: no instance has a name that begins with a slash.
  const std::string& key() const { return key_; }

  virtual bool has_before_run() const { return false; }
  virtual bool has_after_run() const { return false; }
  virtual bool has_trigger_step() const { return false; }

  // Each returns BROCH_OK or BROCH_STOP.
  virtual broch_status setup_graph() { return BROCH_OK; }
  virtual broch_status before_train() { return BROCH_OK; }
  virtual broch_status after_train() { return BROCH_OK; }
  virtual broch_status before_epoch() { return BROCH_OK; }
  virtual broch_status after_epoch() { return BROCH_OK; }
  virtual broch_status before_run(broch_run, uint64_t*) { return BROCH_OK; }
  virtual broch_status after_run(broch_run) { return BROCH_OK; }
  virtual broch_status trigger_step() { return BROCH_OK; }
  virtual broch_status trigger_epoch() { return BROCH_OK; }

  bool chief_only = false;  // only on rank 0, if there are several ranks
  Wants wants;
  std::array<uint64_t, kTimedEvents> ticks{};  // since the epoch began

 private:
  std::string name_, key_;
  abi::Instance* instance_;
};

// A plugin that implements broch.callback/1. Input sources get only the events they may use. If one
// is in the list of callbacks as well, it gets the others there.
class PluginSlot final : public CallbackSlot {
 public:
  enum class Events : uint8_t { all, of_input, others };
  explicit PluginSlot(abi::Instance& instance, Events events = Events::all);

  bool has_before_run() const override { return of_input_ && callback_.has_before_run(); }
  bool has_after_run() const override { return of_input_ && callback_.has_after_run(); }
  bool has_trigger_step() const override { return others_ && callback_.has_trigger_step(); }
  broch_status setup_graph() override { return of_input_ ? callback_.setup_graph() : BROCH_OK; }
  broch_status before_train() override { return of_input_ ? callback_.before_train() : BROCH_OK; }
  broch_status after_train() override { return of_input_ ? callback_.after_train() : BROCH_OK; }
  broch_status before_epoch() override { return others_ ? callback_.before_epoch() : BROCH_OK; }
  broch_status after_epoch() override { return others_ ? callback_.after_epoch() : BROCH_OK; }
  broch_status before_run(broch_run run, uint64_t* fetches) override {
    return callback_.before_run(run, fetches);
  }
  broch_status after_run(broch_run run) override { return callback_.after_run(run); }
  broch_status trigger_step() override { return callback_.trigger_step(); }
  broch_status trigger_epoch() override { return others_ ? callback_.trigger_epoch() : BROCH_OK; }

 private:
  abi::Callback callback_;
  bool of_input_, others_;
};

// Throws what BROCH_CANCELLED from a plugin means: Interrupted if a signal was raised, else
// base::Error (training). expected: what the plugin may return without a signal.
[[noreturn]] void throw_cancelled(const Interrupt* interrupt, const abi::Instance& instance,
                                  const char* expected);

class Callbacks {
 public:
  // interrupt: after it was raised, a callback may return BROCH_CANCELLED; nullptr: never.
  explicit Callbacks(const base::Clock& clock = base::system_clock(),
                     const Interrupt* interrupt = nullptr)
      : clock_(clock), interrupt_(interrupt) {}

  // Appends a callback, before setup_graph. A chief-only callback is skipped on other ranks, with a
  // warning.
  void add(std::unique_ptr<CallbackSlot> slot, bool chief_only, bool is_chief);
  void add(std::unique_ptr<CallbackSlot> slot) {
    add(std::move(slot), /*chief_only=*/false, /*is_chief=*/true);
  }

  // The events call the callbacks in order. BROCH_STOP skips the rest of the event and throws
  // StopTraining; a wait that a signal ended throws Interrupted; a failure throws base::Error.
  // After setup_graph, before_train and trigger_epoch of each plugin the process environment is
  // checked.
  void setup_graph();
  void before_epoch();
  void after_epoch();
  // after: the callback with which an earlier run left the event; only the callbacks after it are
  // called. "": all. Throws base::Error (checkpoint) if there is no callback of this name.
  void before_train(const std::string& after = "");
  void trigger_step(const std::string& after = "");
  void trigger_epoch(const std::string& after = "");
  // before_train of the callbacks up to `last`, which had it in an earlier run. Throws as above.
  void before_train_again(const std::string& last);
  // The callback that an event is calling, or has called last. before_run and after_run, which
  // HookedRuns calls, do not count.
  const CallbackSlot* last_called() const { return last_called_; }
  // The last callback that completed its call in this event; nullptr: none.
  const CallbackSlot* finished() const { return finished_; }
  // Throws what a status other than BROCH_OK means. messages_before: see stopped_by.
  [[noreturn]] void throw_status(const CallbackSlot& slot, broch_status status,
                                 uint64_t messages_before) const;
  bool interrupted() const { return interrupt_ && interrupt_->raised(); }
  // Exceptions from executions of plans that callbacks or the trainer started.
  Pending& pending() { return pending_; }
  // Calls all callbacks; failures are only logged. skip: an instance that hangs.
  void after_train(const std::vector<const abi::Instance*>& skip = {});

  // Part of the log line about the last finished epoch: "" or " Callbacks: …".
  std::string epoch_times(double epoch_seconds) const;
  // Seconds that a callback has spent in an event since the epoch began.
  double seconds(const CallbackSlot& slot, TimedEvent event) const;

  const std::vector<std::unique_ptr<CallbackSlot>>& slots() const { return slots_; }
  // Whether an entry from the `first` on is this instance.
  bool has(const abi::Instance& instance, size_t first = 0) const;
  const std::vector<CallbackSlot*>& with_before_run() const { return with_before_run_; }
  const std::vector<CallbackSlot*>& with_after_run() const { return with_after_run_; }
  // The entry whose callback is this instance or contains it; nullptr: none.
  CallbackSlot* slot_of(const abi::Instance& instance) const {
    return hook_slot_ && hook_slot_->instance() == &instance ? hook_slot_ : find_slot(instance);
  }
  // Says whose before_run or after_run is called next, so that slot_of need not search.
  void set_hook_slot(CallbackSlot* slot) { hook_slot_ = slot; }

 private:
  using Hook = broch_status (CallbackSlot::*)();
  using Seconds = std::vector<std::pair<const CallbackSlot*, double>>;
  void call(CallbackSlot& slot, Hook hook);
  void fire(Hook hook, const char* name, const std::vector<CallbackSlot*>& slots);
  void fire_timed(Hook hook, TimedEvent event, const std::vector<CallbackSlot*>& slots);
  template <bool traced>
  void fire_timed(Hook hook, TimedEvent event, const std::vector<CallbackSlot*>& slots);
  void report_slow(const Seconds& seconds) const;
  CallbackSlot* find_slot(const abi::Instance& instance) const;
  std::vector<CallbackSlot*> behind(const std::vector<CallbackSlot*>& slots,
                                    const std::string& after) const;

  const base::Clock& clock_;
  const Interrupt* interrupt_;
  Pending pending_;
  std::unique_ptr<abi::Environment> environment_;  // as it was before setup_graph
  base::TickRate tick_rate_;
  CallbackSlot* hook_slot_ = nullptr;
  CallbackSlot* last_called_ = nullptr;
  CallbackSlot* finished_ = nullptr;
  std::vector<std::unique_ptr<CallbackSlot>> slots_;
  std::vector<CallbackSlot*> all_, with_before_run_, with_after_run_, with_trigger_step_;
};

}  // namespace broch::train
