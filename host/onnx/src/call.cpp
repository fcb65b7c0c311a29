// call.cpp: the arguments of a call.
#include "call.hpp"

#include <algorithm>

namespace broch::onnx {

using graph::Argument;
using graph::Number;
using runtime::is_floating;
using Kind = Argument::Kind;

void Call::refuse(const std::string& why) const { throw Refusal{why}; }

bool Call::has(size_t i) const {
  return i < node_.arguments.size() && node_.arguments[i].kind != Kind::none;
}
bool Call::is_value(size_t i) const { return has(i) && node_.arguments[i].kind == Kind::value; }
bool Call::is_fraction(size_t i) const {
  return has(i) && node_.arguments[i].kind == Kind::floating;
}
int Call::value(size_t i) const {
  if (!is_value(i)) refuse("argument " + std::to_string(i) + " is no tensor");
  return node_.arguments[i].values[0];
}
std::vector<int> Call::values(size_t i) const {
  return has(i) ? node_.arguments[i].values : std::vector<int>{};
}
std::string Call::x(size_t i) const { return has(i) ? b.name(value(i)) : ""; }
std::string Call::x(size_t i, broch_dtype dtype) const {
  if (!has(i)) return "";
  if (node_.arguments[i].kind == Kind::integer) return b.integer(integer(i, 0), dtype);
  if (!is_value(i)) return b.scalar(scalar(i, 0), dtype);
  return b.cast(x(i), this->dtype(i), dtype);
}
const graph::Type& Call::type(size_t i) const { return b.graph().types[size_t(value(i))]; }

Number Call::number(size_t i, int64_t otherwise) const {
  if (is_value(i) || is_fraction(i)) refuse("argument " + std::to_string(i) + " is no integer");
  if (!has(i) || node_.arguments[i].integers.empty()) return otherwise;
  return node_.arguments[i].integers[0];
}
std::vector<Number> Call::numbers(size_t i) const {
  return has(i) ? node_.arguments[i].integers : std::vector<Number>{};
}
int64_t Call::constant(const Number& size) const {
  if (!size.is_constant()) refuse("a number that depends on the sizes of inputs");
  return size.value({});
}
int64_t Call::integer(size_t i, int64_t otherwise) const { return constant(number(i, otherwise)); }
std::vector<int64_t> Call::integers(size_t i) const {
  std::vector<int64_t> result;
  for (const Number& one : numbers(i)) result.push_back(constant(one));
  return result;
}
std::vector<int64_t> Call::integers(size_t i, size_t n, int64_t otherwise) const {
  std::vector<int64_t> result = integers(i);
  if (result.empty()) result = {otherwise};
  if (result.size() == 1) result.resize(n, result[0]);
  return result;
}
double Call::scalar(size_t i, double otherwise) const {
  if (!has(i)) return otherwise;
  const Argument& argument = node_.arguments[i];
  if (argument.kind == Kind::floating) return argument.floats[0];
  if (argument.integers.size() != 1) refuse("argument " + std::to_string(i) + " is no number");
  return double(constant(argument.integers[0]));
}
std::vector<double> Call::fractions(size_t i) const {
  return has(i) ? node_.arguments[i].floats : std::vector<double>{};
}
std::string Call::text(size_t i) const { return has(i) ? node_.arguments[i].text : ""; }
int64_t Call::axis(size_t i, int64_t rank, int64_t otherwise) const {
  const int64_t axis = integer(i, otherwise);
  return axis < 0 ? axis + rank : axis;
}
std::vector<int64_t> Call::axes(size_t i, int64_t rank) const {
  std::vector<int64_t> axes = integers(i);
  for (int64_t& axis : axes) axis = axis < 0 ? axis + rank : axis;
  return axes;
}

bool Call::needs(size_t result) const {
  const int wanted = node_.results[result];
  if (wanted < 0) return false;
  const graph::Graph& graph = b.graph();
  return std::ranges::any_of(graph.outputs,
                             [&](const graph::Output& one) { return one.value == wanted; }) ||
         std::ranges::any_of(graph.nodes, [&](const graph::Node& node) {
           return std::ranges::any_of(node.arguments, [&](const Argument& one) {
             return std::ranges::count(one.values, wanted) != 0;
           });
         });
}
const graph::Type& Call::result(size_t i) const {
  if (node_.results.size() <= i || node_.results[i] < 0) refuse("no result");
  return b.graph().types[size_t(node_.results[i])];
}

namespace {

// bool, integers, floating-point numbers.
int category(broch_dtype dtype) { return is_floating(dtype) ? 2 : dtype == BROCH_BOOL ? 0 : 1; }

}  // namespace

broch_dtype common_dtype(const Call& call, size_t a, size_t b) {
  const auto with_scalar = [&](size_t tensor, size_t scalar) {
    const broch_dtype dtype = call.dtype(tensor);
    return call.is_fraction(scalar) && !is_floating(dtype) ? broch_dtype(BROCH_FLOAT32)
           : dtype == BROCH_BOOL                           ? broch_dtype(BROCH_INT64)
                                                           : dtype;
  };
  if (!call.is_value(a)) return with_scalar(b, a);
  if (!call.is_value(b)) return with_scalar(a, b);
  const broch_dtype x = call.dtype(a), y = call.dtype(b);
  if (x == y) return x;
  if (category(x) != category(y)) return category(x) > category(y) ? x : y;
  // A tensor without dimensions does not widen one that has some.
  if ((call.rank(a) == 0) != (call.rank(b) == 0)) return call.rank(a) ? x : y;
  // float16 and bfloat16, or uint8 and int8: neither has all numbers of the other.
  if (runtime::dtype_size(x) == runtime::dtype_size(y))
    return is_floating(x) ? BROCH_FLOAT32 : BROCH_INT32;
  return runtime::dtype_size(x) > runtime::dtype_size(y) ? x : y;
}

graph::Number sum(const graph::Number& a, const graph::Number& b) {
  graph::Number result = a;
  for (const graph::Number::Term& term : b.terms) {
    const auto same = std::ranges::find(result.terms, term.symbols, &graph::Number::Term::symbols);
    if (same == result.terms.end())
      result.terms.push_back(term);
    else
      same->factor += term.factor;
  }
  std::erase_if(result.terms, [](const graph::Number::Term& term) { return term.factor == 0; });
  return result;
}

graph::Number begin_of_narrow(const Call& call) {
  const graph::Number begin = call.number(2);
  if (!begin.is_constant() || begin.value({}) >= 0) return begin;
  return sum(begin, call.shape(0)[size_t(call.axis(1, call.rank(0)))]);
}

}  // namespace broch::onnx
