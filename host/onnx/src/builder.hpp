// builder.hpp: collects the nodes and constants of an ONNX graph.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "proto.hpp"

namespace broch::onnx {

using Attributes = std::vector<Message>;
using Names = std::vector<std::string>;
using Shape = std::vector<graph::Number>;

// Tensors are named; a name that is empty stands for an input which is left out.
class Builder {
 public:
  explicit Builder(const graph::Graph& graph);

  const graph::Graph& graph() const { return graph_; }
  // The name of a value of the graph.
  const std::string& name(int value) const { return names_[size_t(value)]; }
  void define(int value, std::string name) { names_[size_t(value)] = std::move(name); }
  // Of an input, or of a weight, which are counted behind them, whatever was written to it.
  const std::string& given(size_t i) const { return given_[i]; }
  // A name that nothing else has: this one, or with a number.
  std::string unique(const std::string& wish);

  std::string add(const char* op, const Names& inputs, const Attributes& attributes = {});
  Names add_all(const char* op, const Names& inputs, const Attributes& attributes, size_t results);
  // With the result's name given.
  void add_as(const std::string& result, const char* op, const Names& inputs);

  // Constants: one dimension, none, and any. Equal ones are one.
  std::string integers(const std::vector<int64_t>& values);
  std::string scalar(double value, broch_dtype dtype);
  std::string integer(int64_t value, broch_dtype dtype);  // with all of its bits
  std::string floats(const std::vector<float>& values, const std::vector<int64_t>& shape);
  std::string numbers(const std::vector<double>& values, broch_dtype dtype);
  // Sizes as a tensor of one dimension, and one size as a tensor without dimensions. Those that
  // depend on inputs are computed.
  std::string sizes(const Shape& shape);
  std::string size(const graph::Number& number);

  std::string cast(const std::string& x, broch_dtype from, broch_dtype to);
  // Reshape; its argument has a -1 where only one size depends on inputs.
  std::string reshape(const std::string& x, const Shape& shape);
  std::string unsqueeze(const std::string& x, const std::vector<int64_t>& axes);
  std::string squeeze(const std::string& x, const std::vector<int64_t>& axes);
  std::string slice(const std::string& x, int64_t axis, const graph::Number& begin,
                    const graph::Number& end, int64_t step = 1);
  // A tensor of this shape whose elements are all equal.
  std::string full(double value, broch_dtype dtype, const Shape& shape);

  const std::vector<Message>& nodes() const { return nodes_; }
  const std::vector<Message>& constants() const { return constants_; }

 private:
  std::string constant(broch_dtype dtype, const std::vector<int64_t>& shape,
                       const std::string& bytes);
  std::string symbol(uint32_t symbol);  // its size, as a tensor of one element
  std::string computed(const graph::Number& number);

  const graph::Graph& graph_;
  Names names_;  // by value
  Names given_;
  std::set<std::string> taken_;
  std::vector<Message> nodes_, constants_;
  std::map<std::string, std::string> known_constants_, known_sizes_;
  int next_ = 0;
};

}  // namespace broch::onnx
