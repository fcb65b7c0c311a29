// batcher.hpp: requests wait here, are joined, and are computed by several threads.
#pragma once
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "batch.hpp"

namespace broch::serve {

class Batcher {
 public:
  struct Options {
    unsigned threads = 1;
    int64_t most_rows = 32;     // of requests that are computed together
    Clock::duration wait{0};    // for more of them
    size_t most_waiting = 256;  // requests
  };

  explicit Batcher(const Options& options);
  // Requests that still wait fail.
  ~Batcher();
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  // sizes: of the symbols of the model. Throws Refusal (429) if too many wait. Any thread.
  void add(Job job, std::vector<int64_t> sizes);
  // Throws as add would.
  void require_room() const;
  size_t waiting() const;

 private:
  // Requests that can be joined: of one model, with the same sizes except for the rows.
  struct Group {
    Model* model;
    std::vector<int64_t> sizes;
    std::deque<Job> jobs;  // in the order of their arrival
    int64_t rows = 0;      // of all
  };
  struct Running {
    Clock::time_point deadline;  // the latest of its requests
    std::atomic<bool> stop{false};
  };

  void end();  // the jobs that wait, and the threads
  void work();
  void watch();
  std::list<Group>::iterator due(Clock::time_point now, Clock::time_point& next);
  std::vector<Job> take(std::list<Group>::iterator group);
  std::vector<Job> expired(Clock::time_point now);
  void require_room_locked() const;

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_, ended_;
  // Guarded by mutex_, up to here.
  std::list<Group> groups_;
  std::list<Running> running_;
  size_t waiting_ = 0;
  bool ends_ = false;

  std::vector<std::thread> threads_;
};

}  // namespace broch::serve
