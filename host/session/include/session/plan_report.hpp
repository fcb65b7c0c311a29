// plan_report.hpp: what a run would do, for `broch plan`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/towers.hpp"
#include "tower/layer_cost.hpp"

namespace broch::session {

struct PlanReport {
  // The recorded program of a tower or of an operation, if there is one after some steps.
  struct ProgramLine {
    size_t operators = 0, calls = 0;
    std::vector<std::string> passes;
    size_t planned_bytes = 0, unplanned_bytes = 0;
    double record_milliseconds = 0;
  };
  struct TowerLine {
    std::string name, mode, device, execution;
    plan::DefineCost define;
    std::optional<ProgramLine> program;
  };
  struct UpdateLine {
    std::string name, execution;
    std::optional<ProgramLine> program;
  };
  struct ParameterLine {
    std::string name, shape;
    int64_t elements;
  };
  struct CallbackLine {
    std::string name, component, run_on;
  };
  std::string runtime;
  std::vector<TowerLine> towers;
  std::vector<UpdateLine> updates;  // gradient processors and other operations
  std::string trainables;           // as a table; "" if there are none
  std::vector<ParameterLine> parameters;
  int64_t parameter_count = 0;
  // Name and shape of each input of one data point.
  std::vector<std::pair<std::string, std::string>> batch;
  // Of the first training tower, on this data point. Empty: there was none.
  std::vector<tower::LayerCost> layers;
  std::optional<int64_t> batch_per_tower;
  int64_t training_towers = 0;
  std::optional<int64_t> steps_per_epoch;
  std::vector<CallbackLine> callbacks;  // in order

  // Samples per step, over all towers.
  std::optional<int64_t> total_batch() const;
  std::optional<int64_t> samples_per_epoch() const;
};

}  // namespace broch::session
