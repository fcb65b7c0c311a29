// update_operation.hpp: one update by the rule of a plugin, recorded and replayed like a tower.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "optimizer/gradient_operation.hpp"

namespace broch::optimizer {

class UpdateOperation {
 public:
  using Variables = std::vector<runtime::Variable*>;
  struct Lists {
    Variables variables;       // what is updated, of one dtype and device
    Variables slots;           // slot k of variable i at k * variables.size() + i
    Variables hypers;          // in the order of the plugin's outline
    runtime::Variable* count;  // number of the update that runs, from 1
  };
  // name: for messages. Calls the plugin once on zeros. REQUIRES: the plugin plays role optimizer;
  // what lists names has its place; all of it outlives this.
  UpdateOperation(tower::RunContext& world, abi::Instance& plugin, const std::string& name,
                  Lists lists);

  // gradients: in the order of the variables; number: of the update.
  void run(const std::vector<runtime::Tensor>& gradients, uint64_t number);
  tower::TowerRunner& runner() { return operation_.runner(); }

 private:
  runtime::Backend& backend_;
  GradientOperation operation_;
  std::vector<runtime::Tensor> nothing_;  // what comes out
};

}  // namespace broch::optimizer
