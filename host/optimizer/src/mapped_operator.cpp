// mapped_operator.cpp: from the arguments in a manifest to those of an operator.
#include "mapped_operator.hpp"

#include <algorithm>

#include "optimizer/backend_calls.hpp"

namespace broch::optimizer {

bool OperatorCall::takes(Place place) const {
  return std::ranges::find(arguments, Argument(place)) != arguments.end();
}

MappedOperator::MappedOperator(runtime::Backend& backend, OperatorCall call)
    : backend_(backend), call_(std::move(call)), operator_(backend.resolve(call_.schema)) {}

runtime::Tensor MappedOperator::operator()(const runtime::Tensor& gradient,
                                           const runtime::Tensor& variable) const {
  const auto value_of = [&](const OperatorCall::Argument& argument) {
    if (const bool* flag = std::get_if<bool>(&argument)) return raw(*flag);
    if (const int64_t* number = std::get_if<int64_t>(&argument)) return raw(*number);
    if (const double* number = std::get_if<double>(&argument)) return raw(*number);
    switch (std::get<OperatorCall::Place>(argument)) {
      case OperatorCall::Place::gradient:
        return raw(gradient);
      case OperatorCall::Place::variable:
        return raw(variable);
      case OperatorCall::Place::none:
        break;
    }
    return kNone;
  };
  std::vector<runtime::RawValue> values;
  for (const OperatorCall::Argument& argument : call_.arguments)
    values.push_back(value_of(argument));
  return optimizer::call(backend_, operator_, values);
}

}  // namespace broch::optimizer
