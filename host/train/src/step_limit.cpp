// step_limit.cpp: a thread that looks at the clock several times within the limit.
#include "train/step_limit.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"
#include "base/text.hpp"

namespace broch::train {

namespace {

using Seconds = std::chrono::duration<double>;

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

StepLimit::StepLimit(Deps deps) : deps_(std::move(deps)), thread_([this] { watch(); }) {}

StepLimit::~StepLimit() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void StepLimit::begin() { begun_ = now(); }

void StepLimit::watch() {
  base::block_signals();
  const Seconds interval(std::clamp(deps_.seconds / 20, 0.01, 1.0));
  const Seconds patience(deps_.patience_seconds);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return stops_; })) {
    const int64_t begun = begun_;
    const double took = double(now() - begun) * 1e-9;
    if (begun == 0 || took <= deps_.seconds) continue;
    report(took);
    const auto is_over = [&] { return stops_ || !runs(begun); };
    for (Seconds waited(0); !is_over() && waited < patience; waited += interval)
      changed_.wait_for(lock, interval, is_over);
    if (!is_over()) deps_.give_up(failure_);
    return;
  }
}

void StepLimit::report(double took) {
  const std::string limit = base::humanize_seconds(deps_.seconds);
  const base::Error failure(
      base::Exit::training,
      {"a step", "not finished after " + base::humanize_seconds(took) + ": it " + deps_.doing(),
       "at most " + limit + " (runtime.step_timeout)",
       "--resume continues from the last checkpoint"});
  failure_ = failure.what();
  base::warning("a step takes longer than " + limit + ": the training ends");
  deps_.interrupt->fail(failure_);
  deps_.cancel();
}

}  // namespace broch::train
