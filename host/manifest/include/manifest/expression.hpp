// expression.hpp: the small language of options that are functions (x-broch-function).
//
//   0.1 * 0.5 ** floor(epoch_num / 10)          stat("validation_error") < 0.01 ? stop() : value
//
// Its words are in expression_words(), from which broch help expressions is made. Operators are as
// in Python where Python has them (** binds tighter than a minus before it, % has the sign of the
// divisor). Comparisons give 1 or 0, any number but 0 is true, && || ?: evaluate what they need.
// Arithmetic is IEEE double: sqrt(-1) and log(-1) are NaN, 1 / 0 is infinite.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifest/value.hpp"

namespace broch::manifest {

class Expression {
 public:
  struct Context {
    double epoch_num = 0;
    double local_step = 0;
    double global_step = 0;
    double value = 0;  // what the option sets, before
    std::function<double(const std::string& name)> stat;
  };

  // Of an option's value, a string or a number. Throws (manifest) with the column in the text; at
  // most 4,096 bytes, 64 levels of nesting.
  explicit Expression(const Value& option, const std::string& pointer = "");

  // The number, or nothing when stop() was reached. Stateless: any thread.
  std::optional<double> evaluate(const Context& context) const;
  // Metrics that it asks for, in order of appearance.
  std::vector<std::string> stats() const;

 private:
  friend class ExpressionParser;
  enum class Kind {
    constant,
    pi,
    epoch_num,
    local_step,
    global_step,
    value,
    stat,
    stop,  // leaves
    negate,
    invert,
    exp,
    log,
    sqrt,
    cos,
    floor,
    abs,  // of one
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    minimum,
    maximum,  // of two
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,
    either,  // of two
    choose   // of three
  };
  struct Node {
    Kind kind;
    double constant = 0;
    std::string name;  // of a metric
    size_t children[3] = {};
  };

  double number(const Node& node, const Context& context, bool& stopped) const;
  double of_two(const Node& node, const Context& context, bool& stopped) const;

  std::vector<Node> nodes_;  // children before parents; the last is the root
};

// A word of the language, for people: "min(x, y, …)" and what it gives.
struct ExpressionWord {
  std::string form, meaning;
};
struct ExpressionWords {
  std::vector<ExpressionWord> variables, functions;
  std::vector<ExpressionWord> operators;  // loosest first
};
// The parser's own tables.
ExpressionWords expression_words();

}  // namespace broch::manifest
