// tower_threads.hpp: threads that compute the towers of a step in parallel.
#pragma once
#include <functional>
#include <memory>
#include <vector>

namespace broch::plan {

class TowerThreads {
 public:
  TowerThreads();
  ~TowerThreads();
  TowerThreads(const TowerThreads&) = delete;
  TowerThreads& operator=(const TowerThreads&) = delete;

  // Runs body(0) … body(count - 1) in parallel: body(0) on this thread, each other one on a thread
  // that is reused by later calls. Returns when all have ended; then rethrows the exception of the
  // lowest number, if there is any.
  void run(size_t count, const std::function<void(size_t)>& body);

 private:
  class Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace broch::plan
