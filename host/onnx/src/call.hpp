// call.hpp: one call of an operator of ATen, and what it becomes.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "builder.hpp"

namespace broch::onnx {

// Thrown where ONNX has no counterpart.
struct Refusal {
  std::string why;
};

// Arguments are named by their places in the schema. Those that are left out have the default that
// is passed.
class Call {
 public:
  Call(Builder& builder, const graph::Node& node, std::string name)
      : b(builder), node_(node), name_(std::move(name)) {}

  Builder& b;

  // The name of the operator, such as "aten::add.Tensor".
  const std::string& name() const { return name_; }
  // Throws Refusal.
  [[noreturn]] void refuse(const std::string& why) const;

  bool has(size_t i) const;  // neither left out nor none
  bool is_value(size_t i) const;
  bool is_fraction(size_t i) const;
  int value(size_t i) const;  // number of a value
  std::vector<int> values(size_t i) const;
  std::string x(size_t i) const;                     // name of a tensor; "": none
  std::string x(size_t i, broch_dtype dtype) const;  // cast to it; a scalar becomes a constant
  const graph::Type& type(size_t i) const;
  broch_dtype dtype(size_t i) const { return type(i).dtype; }
  const Shape& shape(size_t i) const { return type(i).shape; }
  int64_t rank(size_t i) const { return int64_t(shape(i).size()); }

  // The default also stands for an empty list.
  graph::Number number(size_t i, int64_t otherwise = 0) const;
  std::vector<graph::Number> numbers(size_t i) const;
  int64_t integer(size_t i, int64_t otherwise) const;
  std::vector<int64_t> integers(size_t i) const;
  // A list of n; one number stands for all, none for the default.
  std::vector<int64_t> integers(size_t i, size_t n, int64_t otherwise) const;
  double scalar(size_t i, double otherwise) const;
  std::vector<double> fractions(size_t i) const;
  bool boolean(size_t i, bool otherwise) const { return scalar(i, otherwise) != 0; }
  std::string text(size_t i) const;
  // An axis that may be negative, of a tensor of this rank.
  int64_t axis(size_t i, int64_t rank, int64_t otherwise = 0) const;
  std::vector<int64_t> axes(size_t i, int64_t rank) const;
  // A size that must not depend on inputs.
  int64_t constant(const graph::Number& size) const;

  size_t results() const { return node_.results.size(); }
  bool needs(size_t result) const;  // somebody uses it
  const graph::Type& result(size_t i = 0) const;

 private:
  const graph::Node& node_;
  const std::string name_;
};

using Translation = Names (*)(Call&);
using Table = std::unordered_map<std::string_view, Translation>;

// By names without "aten::", such as "add" or, where overloads differ, "max.dim".
void add_pointwise(Table& table);
void add_shapes(Table& table);
void add_reductions(Table& table);
void add_networks(Table& table);

graph::Number sum(const graph::Number& a, const graph::Number& b);
// Where narrow begins, from 0.
graph::Number begin_of_narrow(const Call& call);

// The dtype in which two arguments are compared or added: of argument a and b, which may be
// scalars.
broch_dtype common_dtype(const Call& call, size_t a, size_t b);

}  // namespace broch::onnx
