// inferencer.hpp: a plugin in the role inferencer.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/roles/role.hpp"
#include "broch/role/inferencer.h"

namespace broch::abi {

class Inferencer : public RoleOf<broch_inferencer> {
 public:
  static Inferencer make(Instance& instance) { return Inferencer(instance); }

  std::vector<std::string> fetches();
  void before_inference();
  void on_fetches(std::span<const broch_tensor> values);
  std::vector<std::pair<std::string, double>> after_inference();

 private:
  explicit Inferencer(Instance& instance);
};

}  // namespace broch::abi
