// data_parallel.hpp: one training tower per device, each with its own data points.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>

namespace broch::trainers {

// Options of trainers with several towers. The host reads gpu_prefetch and wraps their queue.
struct TowersOptions {
  std::vector<std::string> devices;
  bool gpu_prefetch;

  static constexpr auto schema = options(
      option("devices", &TowersOptions::devices,
             "One device per tower: cpu:N, cuda:N or auto:N. A device may be listed several times.")
          .min_items(1)
          .pattern("^(cpu|cuda|auto)(:[0-9]{1,4})?$")
          .by_default("cpu:0"),
      option("gpu_prefetch", &TowersOptions::gpu_prefetch,
             "With several towers, wrap a queue in a staging input, which keeps a data "
             "point ready for each tower, on its device.")
          .by_default(true));
};

inline std::string tower_name(size_t index) { return "tower" + std::to_string(index); }
// The vs_name of a tower with its own variables. The first tower has the main ones.
inline std::string replica_name(size_t index) { return index == 0 ? "" : tower_name(index); }

// The devices without repetition, in the order of the list.
inline std::vector<std::string> different(const std::vector<std::string>& devices) {
  std::vector<std::string> once;
  for (const std::string& device : devices)
    if (std::find(once.begin(), once.end(), device) == once.end()) once.push_back(device);
  return once;
}

// Adds an input node and one tower per device. replicated: each tower has its own variables, and
// the first one the main ones. Otherwise all towers share the main variables, which are spread over
// variable_devices; empty: over the devices of the towers.
inline Plan::Nodes add_towers(Plan& plan, const std::vector<std::string>& devices,
                              bool replicated = false,
                              const std::vector<std::string>& variable_devices = {}) {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < devices.size(); ++i) places.push_back(i);
  const broch_node input = plan.input(places);
  Plan::Nodes towers;
  for (const uint32_t i : places) {
    Plan::TowerOptions of;
    of.name = tower_name(i);
    if (replicated) of.vs_name = replica_name(i);
    of.index = i;
    of.total = uint32_t(devices.size());
    of.device = devices[i];
    if (!replicated)
      of.variable_devices = different(variable_devices.empty() ? devices : variable_devices);
    towers.push_back(plan.tower({input}, of));
  }
  return towers;
}

// The mean over towers of the gradients of a cost; cost and variables as in Plan::gradients.
inline broch_node mean_gradients(Plan& plan, const Plan::Nodes& towers,
                                 const std::string& cost = "", const std::string& variables = "") {
  Plan::Nodes lists;
  for (const broch_node tower : towers) lists.push_back(plan.gradients(tower, cost, variables));
  return plan.mean(lists);
}

}  // namespace broch::trainers
