// layer_tape.hpp: the cost of each layer during a call of a tower function.
#pragma once
#include <string>
#include <vector>

#include "tower/call_tape.hpp"
#include "tower/layer_cost.hpp"

namespace broch::tower {

class LayerTape final : public CallTape {
 public:
  explicit LayerTape(Backend& backend) : backend_(backend) {}

  void variable(const Variable& variable, const Tensor& value) override;
  void called(const runtime::Operator* op, std::span<const broch_value> arguments,
              std::span<const broch_value> results) override;
  // A layer ends with this result.
  void published(std::string_view name, const Tensor& value) override;

  std::vector<LayerCost> take() { return std::move(layers_); }

 private:
  // Those that are alone, without lists.
  std::vector<Tensor> tensors_of(std::span<const broch_value> values) const;

  Backend& backend_;
  LayerCost open_;
  std::vector<LayerCost> layers_;
};

}  // namespace broch::tower
