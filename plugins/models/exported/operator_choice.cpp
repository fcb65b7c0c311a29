// operator_choice.cpp: finds the operator of the host for a node.
#include "models/exported/operator_choice.hpp"

#include <algorithm>

namespace exported {
namespace {

// Operators whose form without the underscore has no derivative in LibTorch.
bool needs_writing(const std::string& base) {
  for (const char* name : {"aten::copy_", "aten::zero_", "aten::set_", "aten::resize_"})
    if (base == name) return true;
  return false;
}

// x + 1 is written as add.Tensor with a number in the place of a tensor. If there is an operator
// with a number in this place, it is used.
const HostOperator* with_number(HostOperators& operators, const Scope& scope, const Node& node,
                                const HostOperator* op) {
  for (const auto& [own, argument] : node.arguments) {
    const int index = op->schema.find(own);
    if (index < 0 || argument.kind != Argument::Kind::item || !scope.is_number(argument.item))
      continue;
    const SchemaType& type = op->schema.arguments[size_t(index)].type;
    if (type.name != "Tensor" || type.is_list) continue;
    for (const char* overload :
         {"Scalar", "Tensor_Scalar", "Scalar_mode", "ScalarOther", "ScalarSelf", "Scalar_Tensor"}) {
      const HostOperator* other =
          operators.find(without_overload(op->schema.name) + "." + overload);
      if (!other || other->schema.arguments.size() != op->schema.arguments.size()) continue;
      bool fits = true;
      for (size_t i = 0; i < op->schema.arguments.size(); ++i) {
        const SchemaArgument &a = op->schema.arguments[i], &b = other->schema.arguments[i];
        const bool wants = int(i) == index ? b.type.name == "Scalar" : a.type == b.type;
        fits = fits && a.name == b.name && wants;
      }
      if (fits) return other;
    }
  }
  return op;
}

// What the program says; 0: no tensor.
broch_dtype dtype_in(const Scope& scope, const Item& item) {
  if (item.kind != Item::Kind::value) return 0;
  const auto found = scope.graph.tensors.find(scope.graph.values[size_t(item.value)]);
  return found == scope.graph.tensors.end() ? 0 : found->second.dtype;
}

bool gives_bools(const std::string& base) {
  for (const char* name :
       {"eq_", "ne_", "lt_", "le_", "gt_", "ge_", "not_equal_", "less_", "less_equal_", "greater_",
        "greater_equal_", "logical_and_", "logical_or_", "logical_xor_", "logical_not_"})
    if (base == std::string("aten::") + name) return true;
  return false;
}

// Whether the form without the underscore may give another dtype than that of its first argument,
// which stays as it is when it is written to: a comparison gives bools, and float32 and float64
// together are float64.
bool may_change_dtype(const Scope& scope, const Node& node, const std::string& base) {
  const broch_dtype own = dtype_in(scope, node.arguments[0].second.item);
  if (gives_bools(base)) return own != BROCH_BOOL;
  bool differs = false;
  for_each_item(node, [&](const Item& item) {
    const broch_dtype other = dtype_in(scope, item);
    // Masks and places of elements are of another kind; a wider kind is refused by PyTorch.
    const bool is_same_kind = is_floating(other) == is_floating(own) && other != BROCH_BOOL;
    differs |= other && other != own && is_same_kind;
  });
  return differs;
}

// relu_ becomes relu where nobody else sees the memory that it writes to. A recording can then
// treat it like any relu.
const HostOperator* without_writing(HostOperators& operators, const Scope& scope, const Node& node,
                                    const HostOperator* op) {
  const std::string base = without_overload(op->schema.name);
  if (base.back() != '_' || needs_writing(base) || node.arguments.empty()) return op;
  const Argument& self = node.arguments[0].second;
  if (self.kind != Argument::Kind::item || self.item.kind != Item::Kind::value) return op;
  const size_t value = size_t(self.item.value);
  if (!scope.fresh[value] || scope.uses[value] != 1) return op;
  if (may_change_dtype(scope, node, base)) return op;
  const HostOperator* other =
      operators.find(base.substr(0, base.size() - 1) + op->schema.name.substr(base.size()));
  if (!other || !other->problem.empty() ||
      other->schema.arguments.size() != op->schema.arguments.size())
    return op;
  for (size_t i = 0; i < op->schema.arguments.size(); ++i)
    if (!(op->schema.arguments[i].name == other->schema.arguments[i].name &&
          op->schema.arguments[i].type == other->schema.arguments[i].type))
      return op;
  return other;
}

}  // namespace

std::string operator_name(const std::string& target) {
  static const std::string kPrefix = "torch.ops.";  // the Python module of all operators
  if (target.compare(0, kPrefix.size(), kPrefix) != 0) return "";
  const size_t space = target.find('.', kPrefix.size());
  if (space == std::string::npos) return "";
  const size_t overload = target.find('.', space + 1);
  std::string name = target.substr(kPrefix.size(), space - kPrefix.size()) + "::";
  name += target.substr(space + 1, overload == std::string::npos ? overload : overload - space - 1);
  if (overload != std::string::npos && target.substr(overload) != ".default")
    name += target.substr(overload);
  return name;
}

bool is_check(const std::string& name) {
  static const char* const kChecks[] = {"aten::_assert_scalar",
                                        "aten::_assert_async",
                                        "aten::_assert_tensor_metadata",
                                        "aten::sym_constrain_range",
                                        "aten::sym_constrain_range_for_size",
                                        "aten::_functional_assert_scalar",
                                        "aten::_functional_assert_async",
                                        "aten::_functional_sym_constrain_range",
                                        "aten::_functional_sym_constrain_range_for_size",
                                        "aten::_print"};
  const std::string base = without_overload(name);
  return std::any_of(std::begin(kChecks), std::end(kChecks),
                     [&](const char* check) { return base == check; });
}

const HostOperator* operator_for(HostOperators& operators, const Scope& scope, const Node& node,
                                 const std::string& name) {
  const HostOperator* op = operators.find(name);
  if (!op) throw Refusal{"LibTorch has no operator " + name};
  return without_writing(operators, scope, node, with_number(operators, scope, node, op));
}

}  // namespace exported
