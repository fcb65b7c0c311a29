// hooked_runs.cpp: calls hooks around a run and gives callbacks what they fetched.
#include "train/hooked_runs.hpp"

#include <algorithm>
#include <bit>

#include "base/trace.hpp"
#include "plan/stop.hpp"

namespace broch::train {

using base::ticks;
using base::Trace;

namespace {

// traced: whether a trace is being written. Decided once, so that steps without a trace stay fast.
template <bool traced>
void add_ticks(CallbackSlot& slot, TimedEvent event, uint64_t& before) {
  const uint64_t now = ticks();
  slot.ticks[static_cast<size_t>(event)] += now - before;
  if constexpr (traced) Trace::running()->span(event_name(event), slot.name(), before, now);
  before = now;
}

}  // namespace

// Lives from before_run to the last after_run; then the run's handle and values become invalid.
class HookedRuns::Scope {
 public:
  explicit Scope(HookedRuns& runs) : runs_(runs), mark_(arena().mark()) {
    runs_.stage_ = Stage::before;
    runs_.deps_.context->in_run = true;
    runs_.handle_ = arena().add(abi::Kind::run, {&runs_, nullptr}, 0);
  }
  ~Scope() {
    runs_.stage_ = Stage::idle;
    runs_.handle_ = 0;
    runs_.deps_.context->in_run = false;
    arena().cut(mark_);
    for (const Given& given : runs_.given_) given.instance->handles().remove(given.handle);
    runs_.given_.clear();
    runs_.request_.clear();
    runs_.deps_.monitors->forget_scalars();  // after a failure in front of the step counter
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  static abi::Arena& arena() { return abi::Arena::of_this_thread(); }
  HookedRuns& runs_;
  size_t mark_;
};

uint32_t HookedRuns::declare_fetch(CallbackSlot& slot, const char* name,
                                   const std::string& asked_by) {
  Wants& wants = slot.wants;
  if (wants.fetches.size() == BROCH_FETCHES_MAX)
    throw abi::CallError{BROCH_E_RESOURCE_EXHAUSTED, "a callback fetches at most " +
                                                         std::to_string(BROCH_FETCHES_MAX) +
                                                         " names, its children included"};
  if (wants.fetches.empty()) asking_.push_back(&slot);
  const auto id = static_cast<uint32_t>(wants.fetches.size());
  wants.fetches.push_back(fetches_.add(name, asked_by));
  wants.all |= uint64_t{1} << id;
  wants.mask = wants.all;
  return id;
}

uint32_t HookedRuns::declare_feed(CallbackSlot& slot, const char* name,
                                  const std::string& asked_by) {
  slot.wants.feeds.push_back(feed_names_.add(name, asked_by));
  return static_cast<uint32_t>(slot.wants.feeds.size() - 1);
}

void HookedRuns::resolve(const Fetches::Deps& names) {
  fetches_.resolve(names);
  for (size_t i = feeds_.size(); i < feed_names_.size(); ++i) {
    const Fetch& asked = feed_names_[static_cast<uint32_t>(i)];
    feeds_.push_back(resolve_feed(asked.name, asked.asked_by, names));
  }
  request_.table = &fetches_;
  request_.values.resize(fetches_.size());
  request_.fetches.reserve(fetches_.size());
  wanted_.resize(fetches_.size());
}

bool HookedRuns::fetches(const tower::Tower& tower, std::string_view name) const {
  for (uint32_t i = 0; i < fetches_.size(); ++i)
    if (is_computed_from(fetches_[i], tower, name)) return true;
  return false;
}

bool HookedRuns::feeds(const tower::Tower& tower, std::string_view input) const {
  return std::ranges::any_of(feeds_, [&](const Fetch& feed) {
    return feed.tower == tower.spec().index && feed.published == input;
  });
}

void HookedRuns::require_idle() const {
  if (stage_ == Stage::idle) return;
  throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                       in_hooks()
                           ? "a hooked run inside before_run or after_run; they are legal in "
                             "run_step and in trigger events"
                           : "a hooked run inside a hooked run"};
}

broch_status HookedRuns::run(Plan* plan) {
  require_idle();
  const Scope scope(*this);
  const bool traced = Trace::running();
  traced ? before_run<true>(handle_) : before_run<false>(handle_);
  gather();
  stage_ = Stage::running;
  request_.hooked = true;
  if (execute(plan, request_) == BROCH_END) return BROCH_END;
  stage_ = Stage::after;
  deps_.monitors->hold_scalars();
  traced ? after_run<true>(handle_) : after_run<false>(handle_);
  return BROCH_OK;
}

template <bool traced>
void HookedRuns::before_run(broch_run run) {
  uint64_t before = ticks();
  for (CallbackSlot* slot : deps_.callbacks->with_before_run()) {
    Wants& wants = slot->wants;
    wants.summaries = false;
    uint64_t mask = wants.all;
    const uint64_t messages_before = abi::thread_state().messages;
    deps_.callbacks->set_hook_slot(slot);
    const broch_status status = slot->before_run(run, &mask);
    wants.mask = mask & wants.all;
    add_ticks<traced>(*slot, TimedEvent::before_run, before);
    if (status != BROCH_OK) [[unlikely]]
      handle_status(*slot, status, messages_before);
  }
}

// Returns if the step goes on, else throws what the status means. A step that has executed a plan
// or taken a data point is completed before a signal ends the run, since half a step cannot be
// resumed; but not without what the callback would have fed. A stop waits for the end of the step
// if other ranks wait for this one in it.
void HookedRuns::handle_status(const CallbackSlot& slot, broch_status status,
                               uint64_t messages_before) {
  const bool has_effects =
      stage_ == Stage::after || (deps_.step_has_effects && *deps_.step_has_effects);
  const bool feeds = stage_ == Stage::before && !slot.wants.feeds.empty();
  if (status == BROCH_CANCELLED && has_effects && !feeds && deps_.callbacks->interrupted()) return;
  if (status == BROCH_STOP && deps_.several_ranks && !feeds)
    return request_stop(stopped_by(slot.instance(), messages_before).what());
  deps_.callbacks->throw_status(slot, status, messages_before);
}

// Usually a run wants the same as the last one, and there is nothing to do.
void HookedRuns::gather() {
  const auto same = [](const CallbackSlot* slot) {
    return slot->wants.mask == slot->wants.gathered;
  };
  if (std::ranges::all_of(asking_, same)) return;
  request_.fetch_nothing();
  std::ranges::fill(wanted_, uint8_t{0});
  for (CallbackSlot* slot : asking_) {
    want(*slot);
    slot->wants.gathered = slot->wants.mask;
  }
}

void HookedRuns::want(const CallbackSlot& slot) {
  for (uint64_t left = slot.wants.mask; left; left &= left - 1) {
    const uint32_t entry = slot.wants.fetches[static_cast<size_t>(std::countr_zero(left))];
    if (std::exchange(wanted_[entry], uint8_t{1})) continue;
    request_.fetch(entry);
  }
}

template <bool traced>
void HookedRuns::after_run(broch_run run) {
  uint64_t before = ticks();
  for (CallbackSlot* slot : deps_.callbacks->with_after_run()) {
    const uint64_t messages_before = abi::thread_state().messages;
    deps_.callbacks->set_hook_slot(slot);
    const broch_status status = slot->after_run(run);
    add_ticks<traced>(*slot, TimedEvent::after_run, before);
    if (status != BROCH_OK) [[unlikely]]
      handle_status(*slot, status, messages_before);
    if (slot->wants.summaries) deps_.monitors->put_summary(request_.summary.values());
  }
}

broch_status HookedRuns::run_in_other_group(Plan* plan) {
  require_idle();
  return run_plain(plan);
}

broch_status HookedRuns::run_plain(Plan* plan) {
  RunRequest request;
  return execute(plan, request);
}

// The number of the last step, which random operators count, belongs to every run.
broch_status HookedRuns::execute(Plan* plan, RunRequest& request) {
  request.number = static_cast<uint64_t>(deps_.progress->global_step);
  return deps_.executor->run(plan, request);
}

broch_status HookedRuns::evaluate(const std::vector<Fetch>& names,
                                  std::vector<runtime::Tensor>& values) {
  Fetches table;
  RunRequest request;
  request.table = &table;
  for (const Fetch& name : names) request.fetch(table.add_resolved(name));
  request.values.resize(table.size());
  request.evaluation = true;
  const broch_status status = execute(nullptr, request);
  if (status == BROCH_END) return status;
  values.clear();
  for (const runtime::Tensor& value : request.values)
    values.push_back(deps_.backend->detach(value));
  return status;
}

broch_status HookedRuns::evaluate_summaries() {
  RunRequest request;
  request.evaluation = request.summaries = true;
  const broch_status status = execute(nullptr, request);
  if (status == BROCH_OK) deps_.monitors->put_summary(request.summary.values());
  return status;
}

void HookedRuns::check_run(broch_run run, Stage stage, const char* function) const {
  if (run == handle_ && stage_ == stage && run) return;
  const char* why = nullptr;
  if (abi::Arena::of_this_thread().find(run, abi::Kind::run, 0, &why) != this)
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, abi::explain(run, abi::Kind::run, why)};
  if (stage_ != stage)
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         std::string(function) + " belongs into " +
                             (stage == Stage::before ? "before_run" : "after_run")};
}

uint32_t HookedRuns::entry_of(const CallbackSlot& slot, uint32_t id) const {
  if (id >= slot.wants.fetches.size())
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, "the fetch id " + std::to_string(id) + ": " +
                                                       slot.name() + " declared " +
                                                       std::to_string(slot.wants.fetches.size())};
  return slot.wants.fetches[id];
}

const runtime::Tensor& HookedRuns::value(broch_run run, const CallbackSlot& slot,
                                         uint32_t id) const {
  static const runtime::Tensor kNotWanted;
  check_run(run, Stage::after, "reading a fetched value");
  const uint32_t entry = entry_of(slot, id);
  return slot.wants.mask >> id & 1 ? request_.values[entry] : kNotWanted;
}

// The instance owns the handle, since a borrowed one would end with this call into the plugin.
broch_tensor HookedRuns::handle(broch_run run, const CallbackSlot& slot, uint32_t id,
                                abi::Instance& instance) {
  const runtime::Tensor& tensor = value(run, slot, id);
  if (!tensor) return 0;
  const uint32_t entry = slot.wants.fetches[id];
  for (const Given& given : given_)
    if (given.instance == &instance && given.entry == entry) return given.handle;
  const runtime::Counting& counting = deps_.backend->counting();
  const broch_tensor handle = instance.handles().add(
      abi::Kind::owned_tensor,
      {deps_.backend->detach(tensor).take(), counting.release, counting.retain});
  given_.push_back({&instance, entry, handle});
  return handle;
}

void HookedRuns::set_feed(broch_run run, CallbackSlot& slot, uint32_t id, runtime::Tensor value) {
  check_run(run, Stage::before, "set_feed");
  if (id >= slot.wants.feeds.size())
    throw abi::CallError{BROCH_E_INVALID_ARGUMENT, "the feed id " + std::to_string(id) + ": " +
                                                       slot.name() + " declared " +
                                                       std::to_string(slot.wants.feeds.size())};
  const Fetch& name = feeds_[slot.wants.feeds[id]];
  for (const RunRequest::Feed& feed : request_.feeds)
    if (feed.name->tower == name.tower && feed.name->published == name.published)
      throw base::Error{
          base::Exit::training,
          {"a feed of '" + name.name + "'", "two feeders: " + *feed.feeder + " and " + slot.name(),
           "one feeder of a name in one run", "take one of them away"}};
  request_.feeds.push_back({&name, std::move(value), &slot.name()});
}

void HookedRuns::request_stop(std::string reason) {
  if (!in_hooks())
    throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                         "request_stop belongs into before_run or after_run"};
  if (!stop_) stop_ = std::move(reason);
}

void HookedRuns::want_summaries(broch_run run, CallbackSlot& slot) {
  check_run(run, Stage::before, "want_summaries");
  slot.wants.summaries = request_.summaries = true;
}

}  // namespace broch::train
