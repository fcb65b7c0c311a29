// batcher.cpp: threads that compute, and one that watches the time.
#include "batcher.hpp"

#include <algorithm>

#include "base/signals.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

constexpr auto kWatch = std::chrono::milliseconds(100);  // how late a deadline may be noticed

}  // namespace

Batcher::Batcher(const Options& options) : options_(options) {
  try {
    for (unsigned i = 0; i < options.threads; ++i) threads_.emplace_back([this] { work(); });
    threads_.emplace_back([this] { watch(); });
  } catch (...) {
    end();
    throw;
  }
}

Batcher::~Batcher() { end(); }

void Batcher::end() {
  std::vector<Job> left;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    for (Running& one : running_) one.stop = true;
    for (Group& group : groups_)
      for (Job& job : group.jobs) left.push_back(std::move(job));
    groups_.clear();
    waiting_ = 0;
  }
  arrived_.notify_all();
  ended_.notify_all();
  for (Job& job : left) fail(job, server_ends());
  for (std::thread& thread : threads_) thread.join();
}

void Batcher::require_room_locked() const {
  if (waiting_ >= options_.most_waiting) refuse_more(waiting_, options_.most_waiting);
}

void Batcher::require_room() const {
  const std::lock_guard lock(mutex_);
  require_room_locked();
}

size_t Batcher::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void Batcher::add(Job job, std::vector<int64_t> sizes) {
  const std::optional<uint32_t> symbol = job.model->batch_symbol();
  if (symbol) job.rows = std::exchange(sizes[*symbol], 0);
  {
    const std::lock_guard lock(mutex_);
    require_room_locked();
    auto group = std::ranges::find_if(groups_, [&](const Group& one) {
      return symbol && one.model == job.model && one.sizes == sizes;
    });
    if (group == groups_.end())
      group = groups_.insert(group, Group{job.model, std::move(sizes), {}, 0});
    group->rows += job.rows;
    // Files of an earlier request may have taken longer.
    const auto later = std::ranges::upper_bound(group->jobs, job.arrived, {}, &Job::arrived);
    group->jobs.insert(later, std::move(job));
    ++waiting_;
  }
  arrived_.notify_one();
}

// The group whose time has come, the one with the oldest request first; next: when to look again.
std::list<Batcher::Group>::iterator Batcher::due(Clock::time_point now, Clock::time_point& next) {
  auto found = groups_.end();
  for (auto group = groups_.begin(); group != groups_.end(); ++group) {
    const Clock::time_point arrived = group->jobs.front().arrived, ready = arrived + options_.wait;
    if (group->model->batch_symbol() && group->rows < options_.most_rows && ready > now)
      next = std::min(next, ready);
    else if (found == groups_.end() || arrived < found->jobs.front().arrived)
      found = group;
  }
  return found;
}

std::vector<Job> Batcher::take(std::list<Group>::iterator group) {
  std::vector<Job> jobs;
  int64_t rows = 0;
  const bool joins = group->model->batch_symbol().has_value();
  while (!group->jobs.empty()) {
    Job& job = group->jobs.front();
    if (!jobs.empty() && (!joins || rows + job.rows > options_.most_rows)) break;
    rows += job.rows;
    jobs.push_back(std::move(job));
    group->jobs.pop_front();
  }
  group->rows -= rows;
  waiting_ -= jobs.size();
  if (group->jobs.empty()) groups_.erase(group);
  return jobs;
}

void Batcher::work() {
  base::block_signals();
  std::unique_lock lock(mutex_);
  while (!ends_) {
    Clock::time_point next = Clock::time_point::max();
    const auto group = due(Clock::now(), next);
    if (group == groups_.end()) {
      if (next == Clock::time_point::max())
        arrived_.wait(lock);
      else
        arrived_.wait_until(lock, next);
      continue;
    }
    std::vector<Job> jobs = take(group);
    const auto running = running_.emplace(running_.end());
    running->deadline = jobs.back().deadline;     // the latest, since it arrived last
    if (!groups_.empty()) arrived_.notify_one();  // there may be work for another thread, too
    lock.unlock();
    compute(std::move(jobs), options_.most_rows, running->stop);
    lock.lock();
    running_.erase(running);
  }
}

// Removes what waits too long, and stops what is computed too long.
std::vector<Job> Batcher::expired(Clock::time_point now) {
  std::vector<Job> late;
  for (auto group = groups_.begin(); group != groups_.end();) {
    while (!group->jobs.empty() && group->jobs.front().deadline <= now) {
      group->rows -= group->jobs.front().rows;
      --waiting_;
      late.push_back(std::move(group->jobs.front()));
      group->jobs.pop_front();
    }
    group = group->jobs.empty() ? groups_.erase(group) : std::next(group);
  }
  for (Running& one : running_)
    if (one.deadline <= now) one.stop = true;
  return late;
}

void Batcher::watch() {
  base::block_signals();
  std::unique_lock lock(mutex_);
  while (!ends_) {
    ended_.wait_for(lock, kWatch);
    std::vector<Job> late = expired(Clock::now());
    if (late.empty()) continue;
    lock.unlock();
    for (Job& job : late) fail(job, too_late());
    lock.lock();
  }
}

}  // namespace broch::serve
