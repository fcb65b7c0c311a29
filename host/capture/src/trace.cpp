// trace.cpp: follows tensors from operator to operator.
#include "trace.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace broch::capture {
namespace {

using graph::Argument;
using graph::Graph;
using graph::Node;
using runtime::Tensor;
using Kind = Argument::Kind;

}  // namespace

// All tensors are kept, so an address stands for one of them. A tensor that an operator returns
// again, as those that write to it do, is what the operator made of it from then on.
int Trace::add(Origin origin, std::string name, const Tensor& tensor) {
  values_.push_back({origin, std::move(name), tensor});
  const int value = int(values_.size()) - 1;
  if (tensor) by_impl_[tensor.impl()] = value;
  return value;
}

void Trace::input(const Tensor& value) {
  add(Origin::input, "", value);
  if (--inputs_left_ > 0) return;
  for (const Tensor& one : fed_) add(Origin::input, "", one);
}

void Trace::variable(const runtime::Variable& variable, const Tensor& value) {
  add(Origin::weight, variable.bare(), value);
}

void Trace::constant(const Tensor& value) {
  add(Origin::weight, "constant." + std::to_string(constants_++), value);
}

void Trace::same(const Tensor& from, const Tensor& to) {
  const int value = value_of(reinterpret_cast<uint64_t>(from.impl()));
  by_impl_[to.impl()] = value;
  others_.push_back(to);
}

void Trace::foreign(std::string_view what) { foreign_ = what; }

void Trace::read(std::string_view how) {
  if (refusal_.empty())
    refusal_ = "it reads the elements of a tensor (" + std::string(how) +
               "), on which what follows "
               "may depend";
}

void Trace::published(std::string_view name, const Tensor& value) {
  const auto found = by_impl_.find(value.impl());
  published_.emplace(
      name, found == by_impl_.end() ? add(Origin::foreign, foreign_, value) : found->second);
}

int Trace::value_of(uint64_t impl) {
  void* const address = reinterpret_cast<void*>(impl);
  if (!address) return -1;
  const auto found = by_impl_.find(address);
  if (found != by_impl_.end()) return found->second;
  return add(Origin::foreign, foreign_, Tensor::share(address, &backend_.counting()));
}

Argument Trace::argument(const broch_value& value) {
  Argument argument;
  const auto integers = [&](Kind kind, auto begin) {
    argument.kind = kind;
    for (uint32_t i = 0; i < value.len; ++i) argument.integers.emplace_back(int64_t(begin[i]));
  };
  switch (value.tag) {
    case BROCH_TAG_TENSOR:
      if (!value.u.tensor) break;
      argument.kind = Kind::value;
      argument.values = {value_of(value.u.tensor)};
      break;
    case BROCH_TAG_TENSORS:
      argument.kind = Kind::values;
      for (uint32_t i = 0; i < value.len; ++i)
        argument.values.push_back(value_of(value.u.tensors[i]));
      break;
    case BROCH_TAG_INT:
      argument.kind = Kind::integer;
      argument.integers = {value.u.i64};
      break;
    case BROCH_TAG_BOOL:
      argument.kind = Kind::boolean;
      argument.integers = {value.u.i64 != 0};
      break;
    case BROCH_TAG_DTYPE:
      argument.kind = Kind::dtype;
      argument.integers = {value.u.i64};
      break;
    case BROCH_TAG_DOUBLE:
      argument.kind = Kind::floating;
      argument.floats = {value.u.f64};
      break;
    case BROCH_TAG_STR:
      argument.kind = Kind::text;
      argument.text.assign(value.u.str, value.len);
      break;
    case BROCH_TAG_INTS:
      integers(Kind::integers, value.u.i64s);
      break;
    case BROCH_TAG_BOOLS:
      integers(Kind::booleans, value.u.bools);
      break;
    case BROCH_TAG_DOUBLES:
      argument.kind = Kind::floats;
      argument.floats.assign(value.u.f64s, value.u.f64s + value.len);
      break;
    default:
      break;
  }
  return argument;
}

void Trace::called(const runtime::Operator* op, std::span<const broch_value> arguments,
                   std::span<const broch_value> results) {
  Node node;
  const auto [number, is_new] = operator_numbers_.try_emplace(op, uint32_t(operators_.size()));
  if (is_new) operators_.push_back(backend_.declared_schema(op));
  node.op = number->second;
  for (const broch_value& value : arguments) node.arguments.push_back(argument(value));
  writes_.push_back(backend_.writes(op, arguments.data(), uint32_t(arguments.size())) != 0);
  for (const broch_value& result : results) {
    const bool is_tensor = result.tag == BROCH_TAG_TENSOR && result.u.tensor;
    node.results.push_back(is_tensor ? add(Origin::node, "",
                                           Tensor::share(reinterpret_cast<void*>(result.u.tensor),
                                                         &backend_.counting()))
                                     : -1);
  }
  nodes_.push_back(std::move(node));
}

graph::Type Trace::type_of(const Tensor& tensor) const {
  const runtime::TensorInfo info = backend_.info(tensor);
  graph::Type type{info.dtype, {}};
  for (const int64_t size : info.shape.span()) type.shape.emplace_back(size);
  return type;
}

Trace::Result Trace::take(const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const std::string& where,
                          const std::set<size_t>& kept) {
  const auto refuse = [&](const std::string& found, const std::string& next) {
    base::fail(base::Exit::training, where, found, "operators of the interface alone", next);
  };
  if (!refusal_.empty()) refuse(refusal_, "leave that out where the tower is for inference");
  for (size_t i = 0; i < inputs.size(); ++i) published_.emplace(inputs[i], int(i));
  // What the outputs need, from the end. Operators that write may change any value.
  std::vector<bool> is_needed(values_.size());
  for (const size_t input : kept) is_needed[input] = true;
  for (const std::string& name : outputs) is_needed[size_t(published_.at(name))] = true;
  std::vector<bool> is_kept(nodes_.size());
  for (size_t n = nodes_.size(); n-- > 0;) {
    is_kept[n] = writes_[n] || std::ranges::any_of(nodes_[n].results, [&](int value) {
                   return value >= 0 && is_needed[size_t(value)];
                 });
    if (!is_kept[n]) continue;
    for (const Argument& argument : nodes_[n].arguments)
      for (const int value : argument.values)
        if (value >= 0) is_needed[size_t(value)] = true;
  }
  Result result;
  Graph& graph = result.graph;
  std::vector<int> number(values_.size(), -1);
  const auto define = [&](size_t value) {
    number[value] = int(graph.types.size());
    graph.types.push_back(type_of(values_[value].tensor));
  };
  for (size_t v = 0; v < values_.size(); ++v) {
    const bool is_input = values_[v].origin == Origin::input;
    if (!is_needed[v] || !is_input) continue;
    graph.inputs.push_back(inputs[v]);
    define(v);
  }
  for (size_t v = 0; v < values_.size(); ++v) {
    if (!is_needed[v]) continue;
    if (values_[v].origin == Origin::foreign)
      refuse("a tensor that " + values_[v].name + " made",
             "such a model can be used by broch predict, but not outside of Broch");
    if (values_[v].origin != Origin::weight) continue;
    graph.weights.push_back(values_[v].name);
    result.weights.push_back(values_[v].tensor);
    define(v);
  }
  std::map<uint32_t, uint32_t> operators;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (!is_kept[n]) continue;
    Node node = nodes_[n];
    for (Argument& argument : node.arguments)
      for (int& value : argument.values)
        if (value >= 0) value = number[size_t(value)];
    for (int& value : node.results)
      if (value >= 0) {
        define(size_t(value));
        value = number[size_t(value)];
      }
    const auto [op, is_new] = operators.try_emplace(node.op, uint32_t(graph.operators.size()));
    if (is_new) graph.operators.push_back(operators_[node.op]);
    node.op = op->second;
    graph.nodes.push_back(std::move(node));
  }
  for (const std::string& name : outputs)
    graph.outputs.push_back({name, number[size_t(published_.at(name))]});
  return result;
}

}  // namespace broch::capture
