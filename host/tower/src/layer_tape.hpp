// layer_tape.hpp: writes down the cost of each layer during a call of a tower function.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/variables.hpp"
#include "tower/layer_cost.hpp"
#include "tower/names.hpp"

namespace broch::tower {

class LayerTape {
 public:
  explicit LayerTape(Backend& backend) : backend_(backend) {}

  // An operator has run: its tensors, in their order, without lists of tensors.
  void add_operator(std::string_view name, std::span<const Tensor> arguments,
                    std::span<const Tensor> results);
  void add_variable(const Variable& variable) {
    if (variable.trainable()) open_.parameters += variable.shape.elements();
  }
  // A layer ends with this result.
  void close(std::string_view name, const TensorInfo& result);

  std::vector<LayerCost> take() { return std::move(layers_); }

 private:
  Backend& backend_;
  LayerCost open_;
  std::vector<LayerCost> layers_;
};

}  // namespace broch::tower
