// tower_runs.hpp: the towers of one execution of a plan, with their inputs and results.
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/tower_runner.hpp"
#include "runtime/point.hpp"

namespace broch::plan {

struct TowerRun {
  tower::Tower* tower = nullptr;
  bool in_plan = false;
  bool takes_points = false;            // in_plan: it has an input node
  bool is_peer = false;                 // computed only because another tower waits for it
  std::vector<std::string_view> costs;  // costs to differentiate; "": the returned one
  struct Averaged {
    uint32_t index;  // of a cost among the published names
    size_t average;
  };
  std::vector<Averaged> averaged;  // each once
  replay::StepRequest request;
  std::vector<runtime::Tensor> fed;  // by input
  bool took_point = false;
  runtime::Point point;
  replay::TowerRunner* runner = nullptr;
  const replay::StepResult* result = nullptr;  // valid until the execution ends
  std::optional<replay::StepResult> kept;      // a copy in its own memory

  void average(uint32_t index, size_t average);
  void clear();
};
// The towers of one execution. Their memory is reused by the next one, so that a step allocates
// little.
class TowerRuns {
 public:
  TowerRun& add(tower::Tower* tower);
  TowerRun* find(const tower::Tower* tower);
  TowerRun& find_or_add(tower::Tower* tower) {
    TowerRun* const found = find(tower);
    return found ? *found : add(tower);
  }
  void sort();  // by index of the tower
  void clear();
  void swap(TowerRuns& other) noexcept {
    all_.swap(other.all_);
    std::swap(count_, other.count_);
  }
  TowerRun* begin() { return all_.data(); }
  TowerRun* end() { return all_.data() + count_; }
  TowerRun& operator[](size_t i) { return all_[i]; }

 private:
  std::vector<TowerRun> all_;
  size_t count_ = 0;
};

}  // namespace broch::plan
