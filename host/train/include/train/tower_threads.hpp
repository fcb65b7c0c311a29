// tower_threads.hpp: threads that compute the towers of a run side by side.
#pragma once
#include <functional>
#include <memory>
#include <vector>

namespace broch::train {

class TowerThreads {
 public:
  TowerThreads();
  ~TowerThreads();
  TowerThreads(const TowerThreads&) = delete;
  TowerThreads& operator=(const TowerThreads&) = delete;

  // body(0) … body(count - 1) at the same time, body(0) on this thread and the others each on one
  // that stays for the next run. Returns when all have ended; throws what the one with the lowest
  // number threw.
  void run(size_t count, const std::function<void(size_t)>& body);

 private:
  class Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace broch::train
