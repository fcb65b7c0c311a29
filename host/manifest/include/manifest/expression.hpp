// expression.hpp: the language of options that are functions (x-broch-function).
//
//   0.1 * 0.5 ** floor(epoch_num / 10)          stat("validation_error") < 0.01 ? stop() : value
//
// expression_words() lists all words; `broch help expressions` prints them. Operators that Python
// has work as in Python (** binds tighter than a preceding minus, % has the sign of the divisor).
// Comparisons give 1 or 0, any number but 0 is true, && || ?: evaluate only what they need.
// Arithmetic is IEEE double: sqrt(-1) and log(-1) are NaN, 1 / 0 is infinite.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

class Expression {
 public:
  struct Context {
    double epoch_num = 0;
    double local_step = 0;
    double global_step = 0;
    double value = 0;  // previous value of what the option sets
    std::function<double(const std::string& name)> stat;
  };

  // option: a string or a number. Throws (manifest) with the column in the text. At most 4,096
  // bytes and 64 levels of nesting.
  explicit Expression(const Value& option, const std::string& pointer = "");

  // Returns the number, or nothing if stop() was evaluated. [any]
  std::optional<double> evaluate(const Context& context) const;
  // Names of the metrics it reads, in order of appearance.
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
    stop,  // up to here: no operands
    negate,
    invert,
    exp,
    log,
    sqrt,
    cos,
    floor,
    abs,  // up to here: one operand
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    minimum,
    maximum,  // two operands
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,
    either,  // two operands
    choose   // three operands
  };
  struct Node {
    Kind kind;
    double constant = 0;
    std::string name;  // of a metric
    size_t children[3] = {};
  };

  double number(const Node& node, const Context& context, bool& stopped) const;
  double of_two(const Node& node, const Context& context, bool& stopped) const;

  std::vector<Node> nodes_;  // children precede parents; the last one is the root
};

// A word of the language, for people: "min(x, y, …)" and its meaning.
struct ExpressionWord {
  std::string form, meaning;
};
struct ExpressionWords {
  std::vector<ExpressionWord> variables, functions;
  std::vector<ExpressionWord> operators;  // lowest precedence first
};
// Made from the parser's own tables.
ExpressionWords expression_words();

}  // namespace broch::manifest
