// towers.hpp: all towers of a model. Each name is defined once.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/roles.hpp"
#include "tower/tower.hpp"

namespace broch::plan {

// What it cost to define a tower.
struct DefineCost {
  double milliseconds = 0;
  std::optional<int64_t> peak_bytes;  // of the process; none if unknown
};

class Towers {
 public:
  enum class Makes { variables, nothing };
  // makes: whether the first tower and training towers make variables; else they use those that
  // another model has made.
  Towers(tower::RunContext& context, abi::Instance& model, Makes makes = Makes::variables);

  const std::vector<abi::InputSpec>& signature() const { return signature_; }
  abi::Model& model() { return model_; }

  // Returns the tower with this name; defines it at the first call. Throws base::Error if a tower
  // of this name was defined differently. Sets owns_variables itself. [main]
  tower::Tower& get(tower::TowerSpec spec);
  tower::Tower* find(std::string_view name) const;
  // Whether an inference tower of this name was defined differently.
  bool has_other(const tower::TowerSpec& spec) const;
  // In the order in which they were defined.
  std::vector<const tower::Tower*> all() const;

  // REQUIRES: the tower belongs to this object.
  const DefineCost& cost_of(const tower::Tower& tower) const;

  // Training towers by index; nullptr if there is no such tower.
  tower::Tower* training(uint32_t index) const {
    return index < training_.size() ? training_[index] : nullptr;
  }
  const std::vector<tower::Tower*>& training() const { return training_; }

  // The data point with which towers are defined: the model's example, else zeros, with size 2 for
  // unknown dimensions.
  std::vector<runtime::Tensor> example(runtime::Device device);

 private:
  void require_own_variables(const tower::TowerSpec& spec) const;

  tower::RunContext& context_;
  abi::Model model_;
  Makes makes_;
  std::vector<abi::InputSpec> signature_;
  std::vector<std::unique_ptr<tower::Tower>> towers_;
  std::vector<DefineCost> costs_;  // in the order of towers_
  std::vector<tower::Tower*> training_;
};

}  // namespace broch::plan
