// update_operation.hpp: one update by a plugin's rule, recorded and replayed like a tower.
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
    Variables variables;          // to be updated; all have the same dtype and device
    Variables slots;              // slot k of variable i is at k * variables.size() + i
    Variables hypers;             // in the order of the plugin's spec
    std::vector<double> factors;  // of the hypers
    runtime::Variable* count;     // number of the current update, starting at 1
  };
  // name: for messages. Calls the plugin once on zeros.
  // REQUIRES: the plugin has the role optimizer; the variables have their final memory and outlive
  // this object, as the plugin does.
  UpdateOperation(tower::RunContext& context, abi::Instance& plugin, const std::string& name,
                  Lists lists);

  // gradients: in the order of the variables. number: of the update.
  void run(const std::vector<runtime::Tensor>& gradients, uint64_t number);
  replay::TowerRunner& runner() { return operation_.runner(); }

 private:
  runtime::Backend& backend_;
  GradientOperation operation_;
  std::vector<runtime::Tensor> nothing_;  // the results, always empty
};

}  // namespace broch::optimizer
