// callbacks.cpp: calls callbacks in order, handles their results, and measures their time.
#include "train/callbacks.hpp"

#include <algorithm>

#include "abi/nesting.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "plan/stop.hpp"

namespace broch::train {

using base::ticks;

namespace {

constexpr double kSlowTotal = 2;      // seconds of all trigger_epoch together …
constexpr double kSlowShare = 0.3;    // … and a callback's share of them …
constexpr double kSlowOne = 1;        // … and its own seconds, from which on it is named
constexpr double kNamedShare = 0.01;  // of an epoch's time, to be in its log line

}  // namespace

void throw_cancelled(const Interrupt* interrupt, const abi::Instance& instance,
                     const char* expected) {
  if (interrupt) interrupt->throw_failure();
  if (interrupt && interrupt->raised()) throw Interrupted{};
  throw base::Error{base::Exit::training,
                    {abi::describe(instance), "BROCH_CANCELLED without a signal", expected,
                     "correct the plugin"}};
}

const char* event_name(TimedEvent event) {
  constexpr const char* kNames[kTimedEvents] = {"before_epoch", "before_run",  "after_run",
                                                "trigger_step", "after_epoch", "trigger_epoch"};
  return kNames[static_cast<size_t>(event)];
}

PluginSlot::PluginSlot(abi::Instance& instance, Events events)
    : CallbackSlot(instance.name(), &instance),
      callback_(abi::Callback::make(instance)),
      of_input_(events != Events::others),
      others_(events != Events::of_input) {}

void Callbacks::add(std::unique_ptr<CallbackSlot> slot, bool chief_only, bool is_chief) {
  if (chief_only && !is_chief) {
    base::warning("Callback " + slot->name() + " is chief-only, skipped.");
    // It keeps its place, since checkpoints made by this callback on the chief refer to its name.
    slots_.push_back(std::make_unique<CallbackSlot>(slot->name(), nullptr));
    all_.push_back(slots_.back().get());
    with_trigger_step_.push_back(slots_.back().get());
    return;
  }
  slot->chief_only = chief_only;
  all_.push_back(slot.get());
  if (slot->has_before_run()) with_before_run_.push_back(slot.get());
  // Summaries that before_run asked for are put right after after_run, even if there is none.
  if (slot->has_after_run() || slot->has_before_run()) with_after_run_.push_back(slot.get());
  if (slot->has_trigger_step()) with_trigger_step_.push_back(slot.get());
  slots_.push_back(std::move(slot));
}

bool Callbacks::has(const abi::Instance& instance, size_t first) const {
  return std::any_of(slots_.begin() + static_cast<ptrdiff_t>(first), slots_.end(),
                     [&](const auto& slot) { return slot->instance() == &instance; });
}

// If executing a plan inside the hook ended the training, that exception counts, whatever the
// plugin returns.
inline void Callbacks::call(CallbackSlot& slot, Hook hook) {
  const uint64_t messages_before = abi::thread_state().messages;
  last_called_ = &slot;
  broch_status status;
  try {
    status = (slot.*hook)();
  } catch (...) {
    pending_.rethrow();
    throw;
  }
  pending_.rethrow();
  if (status != BROCH_OK) [[unlikely]]
    throw_status(slot, status, messages_before);
  finished_ = &slot;
}

void Callbacks::throw_status(const CallbackSlot& slot, broch_status status,
                             uint64_t messages_before) const {
  if (status == BROCH_STOP) throw stopped_by(slot.instance(), messages_before);
  throw_cancelled(interrupt_, *slot.instance(), "BROCH_OK, BROCH_STOP or a failure");
}

void Callbacks::fire(Hook hook, const char* name, const std::vector<CallbackSlot*>& slots) {
  finished_ = nullptr;
  for (CallbackSlot* slot : slots) {
    {
      const base::Span span(name, slot->name().c_str());
      call(*slot, hook);
    }
    if (environment_ && slot->instance()) environment_->check(*slot->instance(), name);
  }
}

// traced: whether a trace is being written. Decided once, so that steps without a trace stay fast.
template <bool traced>
void Callbacks::fire_timed(Hook hook, TimedEvent event, const std::vector<CallbackSlot*>& slots) {
  finished_ = nullptr;
  uint64_t before = ticks();
  for (CallbackSlot* slot : slots) {
    call(*slot, hook);
    const uint64_t after = ticks();
    if constexpr (traced)
      base::Trace::running()->span(event_name(event), slot->name(), before, after);
    slot->ticks[static_cast<size_t>(event)] += after - before;
    before = after;
  }
}

void Callbacks::fire_timed(Hook hook, TimedEvent event, const std::vector<CallbackSlot*>& slots) {
  base::Trace::running() ? fire_timed<true>(hook, event, slots)
                         : fire_timed<false>(hook, event, slots);
}

void Callbacks::setup_graph() {
  environment_ = std::make_unique<abi::Environment>();
  fire(&CallbackSlot::setup_graph, "setup_graph", all_);
}

void Callbacks::before_train(const std::string& after) {
  fire(&CallbackSlot::before_train, "before_train", behind(all_, after));
}

void Callbacks::before_train_again(const std::string& last) {
  const size_t count = all_.size() - behind(all_, last).size();
  fire(&CallbackSlot::before_train, "before_train",
       {all_.begin(), all_.begin() + static_cast<ptrdiff_t>(count)});
}

void Callbacks::before_epoch() {
  for (CallbackSlot* slot : all_) slot->ticks.fill(0);
  fire_timed(&CallbackSlot::before_epoch, TimedEvent::before_epoch, all_);
}

void Callbacks::trigger_step(const std::string& after) {
  if (after.empty())
    fire_timed(&CallbackSlot::trigger_step, TimedEvent::trigger_step, with_trigger_step_);
  else
    fire_timed(&CallbackSlot::trigger_step, TimedEvent::trigger_step,
               behind(with_trigger_step_, after));
}

// Of two entries of one instance, the second gets the events at which checkpoints are saved.
std::vector<CallbackSlot*> Callbacks::behind(const std::vector<CallbackSlot*>& slots,
                                             const std::string& after) const {
  if (after.empty()) return slots;
  for (size_t i = slots.size(); i > 0; --i)
    if (slots[i - 1]->key() == after) return {slots.begin() + int64_t(i), slots.end()};
  throw base::Error{base::Exit::checkpoint,
                    {"resume", "a checkpoint made by callback '" + after + "'",
                     "a callback of that name", "resume with the callbacks of the run that saved"}};
}

void Callbacks::after_epoch() {
  fire_timed(&CallbackSlot::after_epoch, TimedEvent::after_epoch, all_);
}

void Callbacks::trigger_epoch(const std::string& after) {
  if (environment_) environment_->check_steps("before the end of this epoch");
  finished_ = nullptr;
  Seconds seconds;
  for (CallbackSlot* slot : behind(all_, after)) {
    const double start = clock_.monotonic();
    const uint64_t start_ticks = ticks();
    {
      const base::Span span("trigger_epoch", slot->name().c_str());
      call(*slot, &CallbackSlot::trigger_epoch);
    }
    slot->ticks[static_cast<size_t>(TimedEvent::trigger_epoch)] += ticks() - start_ticks;
    seconds.emplace_back(slot, clock_.monotonic() - start);
    if (environment_ && slot->instance()) environment_->check(*slot->instance(), "trigger_epoch");
  }
  report_slow(seconds);
}

void Callbacks::report_slow(const Seconds& seconds) const {
  double total = 0;
  for (const auto& [slot, one] : seconds) total += one;
  if (total < kSlowTotal) return;
  std::vector<std::string> parts;
  for (const auto& [slot, one] : seconds)
    if (one > kSlowOne && one / total > kSlowShare)
      parts.push_back(slot->name() + ": " + base::humanize_seconds(one));
  base::info("Callbacks took " + base::general(total, 3) + " sec in total. " +
             base::join(parts, "; "));
}

void Callbacks::after_train(const std::vector<const abi::Instance*>& skip) {
  for (CallbackSlot* slot : all_) {
    if (slot->instance() && std::ranges::count(skip, slot->instance()) > 0) continue;
    try {
      slot->after_train();
    } catch (const std::exception& error) {
      base::error("after_train of " + slot->name() + " failed: " + error.what());
    }
    pending_.clear();
  }
}

double Callbacks::seconds(const CallbackSlot& slot, TimedEvent event) const {
  return tick_rate_.seconds(slot.ticks[static_cast<size_t>(event)]);
}

std::string Callbacks::epoch_times(double epoch_seconds) const {
  std::vector<std::string> parts;
  for (const CallbackSlot* slot : all_) {
    std::vector<std::string> events;
    double total = 0;
    for (size_t i = 0; i < kTimedEvents; ++i) {
      const double time = seconds(*slot, static_cast<TimedEvent>(i));
      total += time;
      if (time > kNamedShare * epoch_seconds)
        events.push_back(std::string(event_name(static_cast<TimedEvent>(i))) + " " +
                         base::general(time, 3) + " s");
    }
    if (total > kNamedShare * epoch_seconds && !events.empty())
      parts.push_back(slot->name() + " (" + base::join(events, ", ") + ")");
  }
  return parts.empty() ? "" : " Callbacks: " + base::join(parts, "; ") + ".";
}

CallbackSlot* Callbacks::find_slot(const abi::Instance& instance) const {
  for (CallbackSlot* slot : all_)
    if (slot->instance() == &instance) return slot;
  for (CallbackSlot* slot : all_)
    if (slot->instance() && contains(*slot->instance(), instance)) return slot;
  return nullptr;
}

}  // namespace broch::train
