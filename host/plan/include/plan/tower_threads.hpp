// tower_threads.hpp: threads that compute the towers of a step in parallel.
#pragma once
#include <array>
#include <cstdint>
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

// Tries from time to time whether short steps are faster with towers in parallel or one after
// another: synchronization, and reading what another core wrote, may cost as much as the towers.
class TowerTrials {
 public:
  // Whether the next step, with this number of towers, is to run them one after another.
  bool in_turn(size_t towers);
  // Reports how long that step took, including the work that depends on its towers.
  void took(double seconds);

 private:
  using Times = std::array<double, 9>;  // seconds

  Times together_{}, in_turn_{};
  size_t towers_ = 0;
  uint32_t steps_ = 0;  // number of steps since the last trial began
  bool turns_ = false;
};

}  // namespace broch::plan
