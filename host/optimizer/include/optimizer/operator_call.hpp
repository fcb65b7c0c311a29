// operator_call.hpp: one operator of LibTorch, applied to a gradient and its variable, as a
// manifest describes it: a schema and the arguments in order.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace broch::optimizer {

struct OperatorCall {
  enum class Place { none, gradient, variable };
  using Argument = std::variant<Place, bool, int64_t, double>;
  std::string schema;  // "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor"
  std::vector<Argument> arguments;

  bool takes(Place place) const;
  bool operator==(const OperatorCall&) const = default;
};

}  // namespace broch::optimizer
