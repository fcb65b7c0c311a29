// hyper_params.cpp: numbers that callbacks may change between steps.
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "runtime/element.hpp"
#include "runtime/variables.hpp"

namespace broch::runtime {
namespace {

bool is_integer(broch_dtype dtype) { return dtype >= BROCH_INT8 && dtype <= BROCH_BOOL; }

[[noreturn]] void refuse(std::string_view name, const std::string& found,
                         const std::string& expected, const std::string& hint) {
  throw base::Error(base::Exit::training, {.where = "hyper-parameter " + base::quoted(name),
                                           .found = found,
                                           .expected = expected,
                                           .hint = hint});
}

// The smallest and the largest number that an integer dtype has.
std::pair<double, double> range_of(broch_dtype dtype) {
  switch (dtype) {
    case BROCH_INT8:
      return {-0x1p7, 0x1p7 - 1};
    case BROCH_INT16:
      return {-0x1p15, 0x1p15 - 1};
    case BROCH_INT32:
      return {-0x1p31, 0x1p31 - 1};
    case BROCH_INT64:
      return {-0x1p63, 0x1.fffffffffffffp62};  // as a double
    case BROCH_UINT8:
      return {0, 0x1p8 - 1};
    default:  // bool, where all but 0 is true
      return {-HUGE_VAL, HUGE_VAL};
  }
}

void require_fit(const Variable& variable, double value) {
  const std::string why = std::string(", since its dtype is ") + dtype_name(variable.dtype);
  if (!std::isfinite(value) || value != std::floor(value))
    refuse(variable.name, base::shortest(value), "a whole number" + why, "round it");
  const auto [low, high] = range_of(variable.dtype);
  if (value < low || value > high)
    refuse(variable.name, base::shortest(value),
           "a number from " + base::shortest(low) + " to " + base::shortest(high) + why,
           "look at what it is computed from");
}

void require_number(std::string_view name, double value) {
  if (std::isnan(value)) refuse(name, "nan", "a number", "look at what it is computed from");
}

}  // namespace

void HyperParams::declare(const std::string& name, double initial, const std::string& made_by) {
  if (mirror_.contains(name)) return;
  require_number(name, initial);
  broch_variable_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dtype = BROCH_FLOAT64;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = initial;
  Variable& variable = store_.create(name, spec, device_, made_by);
  mirror_.emplace(name, Mirror{&variable, initial, initial});
}

bool HyperParams::has(std::string_view name) const { return mirror_.contains(name); }

Variable* HyperParams::variable(std::string_view name) const {
  const auto found = mirror_.find(name);
  return found == mirror_.end() ? nullptr : found->second.variable;
}

Variable& HyperParams::scalar_at(std::string_view name) const {
  Variable* variable = store_.find(name);
  if (!variable) {
    std::vector<std::string> candidates = names();
    const std::string there = candidates.empty() ? "none" : base::join(candidates, ", ");
    for (const std::string& other : store_.names()) candidates.push_back(other);
    refuse(name, "no such hyper-parameter or variable",
           "a hyper-parameter (" + there + ") or the full name of a variable of one element" +
               base::did_you_mean(name, candidates),
           "an optimizer declares its own, for example learning_rate");
  }
  if (variable->shape.elements() != 1)
    refuse(name, "a variable of shape " + to_string(variable->shape), "one element",
           "only single numbers are set and read by name");
  return *variable;
}

double HyperParams::get(std::string_view name) const {
  const auto found = mirror_.find(name);
  if (found != mirror_.end()) return found->second.value;
  return store_.backend().item(scalar_at(name).value);
}

void HyperParams::set(std::string_view name, double value) {
  const auto found = mirror_.find(name);
  if (found != mirror_.end()) require_number(name, value);
  write(found != mirror_.end() ? *found->second.variable : scalar_at(name), value);
  if (found != mirror_.end()) found->second.value = value;
}

void HyperParams::write(Variable& variable, double value) {
  if (is_integer(variable.dtype)) require_fit(variable, value);
  alignas(16) std::array<std::byte, 16> element;
  encode_element(variable.dtype, value, element.data());
  Shape shape = variable.shape;
  const broch_dl_tensor data{element.data(),
                             {BROCH_DL_CPU, 0},
                             static_cast<int32_t>(shape.rank),
                             to_dl(variable.dtype),
                             shape.dims.data(),
                             nullptr,
                             0};
  Backend& backend = store_.backend();
  const Tensor written = backend.copy_in(data, variable.device);
  const VariableWrites::Write write(store_.writes());
  backend.assign(variable.value, written);
}

std::vector<std::string> HyperParams::names() const {
  std::vector<std::string> names;
  for (const auto& [name, mirror] : mirror_) names.push_back(name);
  return names;
}

void HyperParams::refresh() {
  for (auto& [name, mirror] : mirror_) mirror.value = store_.backend().item(mirror.variable->value);
}

}  // namespace broch::runtime
