// graph.hpp: a computation as data: operators on values, for inputs of many sizes. It is what
// remains of a model that is exported: no plugin, no variables, no gradients.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::graph {

// A number that may follow from the sizes of the inputs: a sum of products of symbols, each with a
// factor. 3 has one term without symbols; 0 may have none.
struct Number {
  struct Term {
    int64_t factor = 0;
    std::vector<uint32_t> symbols{};  // places in Graph::symbols, ascending
    bool operator==(const Term&) const = default;
  };
  std::vector<Term> terms{};

  Number() = default;
  Number(int64_t value) {  // NOLINT(google-explicit-constructor): a number is a Number
    if (value) terms.push_back({value, {}});
  }
  bool is_constant() const;
  // sizes: of the symbols. Throws base::Error (Exit::data) if the result has more than 64 bits.
  int64_t value(std::span<const int64_t> sizes) const;
  // "3", "B", "2 * B * T + 1".
  std::string text(const std::vector<std::string>& symbols) const;
  bool operator==(const Number&) const = default;
};

struct Argument {
  enum class Kind : uint8_t {
    none,
    value,     // values[0]: number of the value
    values,    // -1: no tensor
    integer,   // integers[0]
    integers,  // any number of them
    floating,  // floats[0]
    floats,
    boolean,   // integers[0]
    booleans,  // integers
    text,
    dtype,  // integers[0]: a broch_dtype
  };
  Kind kind = Kind::none;
  std::vector<int> values{};
  std::vector<Number> integers{};
  std::vector<double> floats{};
  std::string text{};
};

struct Node {
  uint32_t op = 0;  // place in Graph::operators
  std::vector<Argument> arguments;
  std::vector<int> results;  // numbers of values; -1: no tensor
};

// What is known of a tensor.
struct Type {
  broch_dtype dtype = 0;
  std::vector<Number> shape;
  bool operator==(const Type&) const = default;
};

struct Output {
  std::string name;
  int value = -1;
};

// Values are numbered: inputs, weights (and other constants), then results of nodes, each defined
// once and used later. The sizes of inputs are constants or symbols alone, and each symbol is a
// size of an input; weights have constant sizes.
struct Graph {
  std::vector<std::string> symbols;    // of sizes: "B"
  std::vector<int64_t> least;          // by symbol: the smallest size
  std::vector<std::string> operators;  // schemas
  std::vector<std::string> inputs, weights;
  std::vector<Node> nodes;
  std::vector<Output> outputs;
  std::vector<Type> types;  // by value

  const Type& type_of_input(size_t input) const { return types[input]; }
  const Type& type_of_weight(size_t weight) const { return types[inputs.size() + weight]; }
  const Type& type_of_output(size_t output) const { return types[size_t(outputs[output].value)]; }
  // The sizes of the symbols for inputs of these shapes. Throws base::Error (Exit::data) that names
  // the input which does not fit.
  std::vector<int64_t> sizes_for(std::span<const runtime::TensorInfo> inputs) const;
};

// For these sizes of the symbols. Throws as Number::value.
runtime::Shape shape_of(const Type& type, std::span<const int64_t> sizes);
// -1 for a size that depends on symbols.
std::vector<int64_t> known_sizes(const Type& type);
// "aten::add.Tensor" of "aten::add.Tensor(Tensor self, …".
std::string operator_name(const std::string& schema);
// "float32 (B, 10)".
std::string text_of(const Type& type, const std::vector<std::string>& symbols);

}  // namespace broch::graph
