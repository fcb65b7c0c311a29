// runner.cpp: one thread, which looks at everything several times a second.
#include "runner.hpp"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "stop_signals.hpp"

namespace broch::sweep {
namespace {

using base::Exit;

constexpr int kPause = 50;  // milliseconds between two looks

bool is_interruption(int code) {
  return code == int(Exit::saved) || code == int(Exit::interrupted) ||
         code == int(Exit::terminated);
}

std::string result_of(const Trial& trial, const Spec& spec) {
  const auto value = trial.value(spec);
  return value ? spec.metric + " " + base::general(*value, 6) + " after epoch " +
                     std::to_string(trial.epochs)
               : "no value of " + spec.metric;
}

}  // namespace

Runner::Runner(const Spec& spec, Passed passed, Record record, std::vector<int64_t> rungs)
    : spec_(spec),
      passed_(std::move(passed)),
      record_(std::move(record)),
      rungs_(std::move(rungs)),
      decisions_(decide(record_.trials, rungs_, spec_)) {}

base::Exit Runner::run() {
  const StopSignals signals;
  try {
    if (spec_.method.kind == Method::Kind::command) {
      tool_.emplace(spec_, record_.trials);
      for (size_t i = 0; i < record_.trials.size(); ++i) reported_[i] = record_.trials[i].values;
    }
    decide_anew();
    // Before a trial makes files: they are of a sweep only beside the record. An earlier one says
    // which trials were running, and may still run.
    if (!std::filesystem::exists(record_file(spec_))) write();
    while (StopSignals::count() == 0 && !is_complete()) {
      tick();
      wait();
    }
    stop_all();
  } catch (...) {
    stop_all();
    throw;
  }
  if (tool_) tool_->finish();
  return exit_code();
}

void Runner::tick() {
  if (reap()) write();
  watch();
  if (tool_) listen();
  decide_anew();
  stop_what_must();
  start_what_can();
}

bool Runner::reap() {
  std::vector<std::pair<size_t, int>> ended;
  for (auto& [index, running] : running_)
    if (const auto code = running.child.ended()) ended.emplace_back(index, *code);
  for (const auto& [index, code] : ended) end(index, code);
  return !ended.empty();
}

void Runner::end(size_t index, int code) {
  Trial& trial = record_.trials[index];
  const Running& running = running_.at(index);
  trial.seconds += std::chrono::duration<double>(Clock::now() - running.start).count();
  const bool told = running.told;
  running_.erase(index);
  read_progress(trial, spec_);
  report_new_values(index);
  const std::string name = "trial " + std::to_string(trial.number);
  if (!is_interruption(code)) {
    trial.exit = code;
    if (code == 0 && !trial.values.empty())
      base::info(name + " has finished: " + result_of(trial, spec_));
    else
      base::warning(name + " has failed with exit code " + std::to_string(code) +
                    (code == 0 ? ": " + trial.why : "; see " + trial.text_file(spec_)));
  } else if (!told && StopSignals::count() == 0) {
    base::warning(name + " was stopped by somebody else; the next start continues it");
    left_.insert(index);
  }
  if (trial.over()) tell_end(index);
  decide_anew();
}

void Runner::tell_end(size_t index) {
  if (!tool_) return;
  const Trial& trial = record_.trials[index];
  const std::string state = state_of(trial, {}, false);
  tool_->tell(trial, state,
              state == "failed" ? std::nullopt : trial.value(spec_, last_epoch_of(trial, {})));
}

void Runner::watch() {
  for (auto& [index, running] : running_) {
    Trial& trial = record_.trials[index];
    std::error_code error;
    const auto time = std::filesystem::last_write_time(trial.log_dir(spec_) + "/stats.json", error);
    if (error || time == running.recorded) continue;
    running.recorded = time;
    read_progress(trial, spec_);
    report_new_values(index);
  }
}

// Also other values of epochs that are known, since a trial that has failed may start afresh.
void Runner::report_new_values(size_t index) {
  if (!tool_) return;
  const Trial& trial = record_.trials[index];
  std::map<int64_t, double>& known = reported_[index];
  for (const auto& [epoch, value] : trial.values) {
    const auto [place, is_new] = known.try_emplace(epoch, value);
    const double before = std::exchange(place->second, value);
    if (is_new || (before != value && !(std::isnan(before) && std::isnan(value))))
      tool_->report(trial, epoch, value);
  }
}

void Runner::listen() {
  Tool::News news = tool_->take(record_.trials, !running_.empty() || any_wants_start());
  if (news.trial) record_.trials.push_back(std::move(*news.trial));  // it may be among the stopped
  for (const Value& id : news.stopped) {
    Trial& trial = *std::ranges::find(record_.trials, id, &Trial::id);
    if (trial.over()) continue;
    trial.stopped = trial.epochs;
    const auto index = size_t(trial.number - 1);
    if (!running_.contains(index)) tell_end(index);
  }
  decide_anew();
  if (news.trial || !news.stopped.empty()) write();
}

void Runner::decide_anew() {
  std::vector<Decision> decisions = decide(record_.trials, rungs_, spec_);
  for (size_t i = 0; i < std::min(decisions.size(), decisions_.size()); ++i)
    if (decisions[i].what == Decision::What::prune && decisions_[i].what != Decision::What::prune)
      base::info("trial " + std::to_string(i + 1) + " ends after epoch " +
                 std::to_string(decisions[i].rung) + ": others are better");
  decisions_ = std::move(decisions);
}

void Runner::stop_what_must() {
  for (auto& [index, running] : running_) {
    const bool goes_on =
        decisions_[index].what == Decision::What::go && !record_.trials[index].stopped;
    if (goes_on || running.told) continue;
    running.child.signal(SIGTERM);
    running.told = true;
  }
}

bool Runner::wants_start(size_t index) const {
  return decisions_[index].what == Decision::What::go && !record_.trials[index].over() &&
         !running_.contains(index) && !left_.contains(index);
}

bool Runner::any_wants_start() const {
  for (size_t i = 0; i < record_.trials.size(); ++i)
    if (wants_start(i)) return true;
  return false;
}

// A trial of an earlier start, which was killed, may still be saving its state.
bool Runner::is_free(size_t index) {
  if (!is_running(spec_, record_.trials[index])) return true;
  if (awaited_.insert(index).second)
    base::info("trial " + std::to_string(index + 1) +
               " still runs since an earlier start; waiting for its end");
  return false;
}

// A trial that still runs since an earlier start takes a place, too, since it uses cores.
void Runner::start_what_can() {
  auto taken = int64_t(running_.size());
  for (size_t i = 0; i < record_.trials.size() && taken < spec_.parallel; ++i) {
    if (!wants_start(i)) continue;
    ++taken;
    if (is_free(i)) start(i);
  }
  if (taken < spec_.parallel && asks_for_more()) ask_for_more();
}

Slot Runner::free_slot() const {
  Slot slot{0};
  const auto is_taken = [&slot](const auto& running) {
    return running.second.slot.index == slot.index;
  };
  while (std::ranges::any_of(running_, is_taken)) ++slot.index;
  return slot;
}

void Runner::start(size_t index) {
  Trial& trial = record_.trials[index];
  base::info("trial " + std::to_string(trial.number) +
             (tool_ ? "" : " of " + std::to_string(record_.trials.size())) +
             (trial.started ? " continues: " : " starts: ") + describe(trial.parameters));
  trial.started = true;
  const Slot slot = free_slot();
  running_.emplace(index, Running{start_trial(spec_, trial, slot, passed_), slot, Clock::now()});
  write();
}

bool Runner::asks_for_more() const {
  return tool_ && tool_->may_ask() &&
         int64_t(record_.trials.size()) < spec_.method.trials.value_or(INT64_MAX);
}

void Runner::ask_for_more() { tool_->ask(int64_t(record_.trials.size()) + 1); }

bool Runner::is_complete() const {
  if (!running_.empty() || any_wants_start()) return false;
  if (!tool_) return true;
  const bool full = int64_t(record_.trials.size()) >= spec_.method.trials.value_or(INT64_MAX);
  return tool_->done() || (full && !tool_->asked());
}

// Lets every running trial save its state. A further signal ends them at once. The list of trials
// is written when all have ended: if that fails, no trial suffers.
void Runner::stop_all() {
  if (running_.empty()) return;
  if (StopSignals::count() > 0) base::info("told to end; the trials save their state");
  for (auto& [index, running] : running_) {
    if (!running.told) running.child.signal(SIGTERM);
    running.told = true;
  }
  int passed_on = std::max(StopSignals::count(), 1);
  while (!running_.empty()) {
    reap();
    if (StopSignals::count() > passed_on) {
      passed_on = StopSignals::count();
      for (auto& [index, running] : running_) running.child.signal(SIGTERM);
    }
    poll(nullptr, 0, kPause);
  }
  write();
}

void Runner::wait() {
  pollfd watched[2];
  nfds_t count = 0;
  if (tool_) {
    const Lines& lines = tool_->lines();
    if (!lines.ended()) watched[count++] = {lines.from(), POLLIN, 0};
    if (!lines.is_written()) watched[count++] = {lines.to(), POLLOUT, 0};
  }
  poll(watched, count, kPause);
}

void Runner::write() {
  std::vector<bool> running(record_.trials.size());
  for (const auto& [index, one] : running_) running[index] = true;
  write_record(spec_, record_, decisions_, running);
}

base::Exit Runner::exit_code() const {
  if (StopSignals::count() > 1)
    return StopSignals::last() == SIGINT ? Exit::interrupted : Exit::terminated;
  if (!is_complete() || !left_.empty()) return Exit::saved;
  const bool any = std::ranges::any_of(
      record_.trials, [](const Trial& trial) { return trial.exit == 0 && !trial.values.empty(); });
  if (any || record_.trials.empty()) return Exit::ok;
  base::error("no trial has finished; " + record_.trials.front().text_file(spec_) +
              " tells how the first one ended");
  return Exit::training;
}

}  // namespace broch::sweep
