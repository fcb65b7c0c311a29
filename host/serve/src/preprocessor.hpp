// preprocessor.hpp: threads that make the inputs of models of the files in requests.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "batch.hpp"

namespace broch::serve {

class Preprocessor {
 public:
  struct Task {
    Model* model = nullptr;
    InferRequest request;  // with files
    Clock::time_point deadline;
    // One of them is called, once, on any thread. If done throws, failed is called, too.
    std::function<void(InferRequest)> done;
    std::function<void(const Refusal&)> failed;
  };

  Preprocessor(runtime::Backend& backend, unsigned threads, size_t most_waiting);
  // Requests that still wait fail.
  ~Preprocessor();
  Preprocessor(const Preprocessor&) = delete;
  Preprocessor& operator=(const Preprocessor&) = delete;

  // Throws Refusal (429) if too many wait. Any thread.
  void add(Task task);
  size_t waiting() const;

 private:
  void end();  // the tasks that wait, and the threads
  void work();

  runtime::Backend& backend_;
  const size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Task> tasks_;  // guarded by mutex_, as is ends_
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace broch::serve
