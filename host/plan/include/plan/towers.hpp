// towers.hpp: all towers of a run; each name is defined once.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/roles.hpp"
#include "tower/tower.hpp"

namespace broch::plan {

// What it took to define a tower.
struct DefineCost {
  double milliseconds = 0;
  std::optional<int64_t> peak_bytes;  // of the whole process; where the system tells
};

class Towers {
 public:
  Towers(tower::RunContext& world, abi::Instance& model);

  const std::vector<abi::InputSpec>& signature() const { return signature_; }
  abi::Instance& model_instance() const { return model_.instance(); }
  abi::Model& model() { return model_; }

  // The tower of that name; defines it at the first call. Throws base::Error when one of that name
  // was defined otherwise. owns_variables is decided here. [main]
  tower::Tower& get(tower::TowerSpec spec);
  tower::Tower* find(std::string_view name) const;
  // In the order in which they were defined.
  std::vector<const tower::Tower*> all() const;

  // REQUIRES: a tower from here.
  const DefineCost& cost_of(const tower::Tower& tower) const;

  // Training towers by index; nullptr for an index that is not there.
  tower::Tower* training(uint32_t index) const {
    return index < training_.size() ? training_[index] : nullptr;
  }
  const std::vector<tower::Tower*>& training() const { return training_; }

  // The data point on which towers are defined: the model's example, else zeros, unknown
  // dimensions 2.
  std::vector<runtime::Tensor> example(runtime::Device device);

 private:
  tower::RunContext& world_;
  abi::Model model_;
  std::vector<abi::InputSpec> signature_;
  std::vector<std::unique_ptr<tower::Tower>> towers_;
  std::vector<DefineCost> costs_;  // in the same order
  std::vector<tower::Tower*> training_;
};

}  // namespace broch::plan
