// tower_threads.hpp: threads that compute the towers of a run side by side.
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

  // body(0) … body(count - 1) at the same time, body(0) on this thread and the others each on one
  // that stays for the next run. Returns when all have ended; throws what the one with the lowest
  // number threw.
  void run(size_t count, const std::function<void(size_t)>& body);

 private:
  class Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
};

// Tries now and then whether steps that take little time end sooner with their towers at the same
// time or one after the other: handing over, and reading what another processor wrote, may cost as
// much as the towers do.
class TowerTrials {
 public:
  // Whether the next step, of so many towers, is to have them one after the other.
  bool in_turn(size_t towers);
  // How long that step took, with all that came of its towers.
  void took(double seconds);

 private:
  using Times = std::array<double, 9>;  // seconds

  Times together_{}, in_turn_{};
  size_t towers_ = 0;
  uint32_t steps_ = 0;  // since the last trial began
  bool turns_ = false;
};

}  // namespace broch::plan
