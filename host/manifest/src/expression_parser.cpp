// expression_parser.cpp: precedence climbing over a table of operators.
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "manifest/expression.hpp"
#include "value/fault.hpp"

namespace broch::manifest {

class ExpressionParser {
 public:
  using Kind = Expression::Kind;
  using Node = Expression::Node;

  ExpressionParser(const Value& option, const std::string& pointer, std::vector<Node>& nodes)
      : option_(option), pointer_(pointer), text_(option.string()), nodes_(nodes) {}

  void parse() {
    constexpr size_t kLongest = 4096;
    if (text_.size() > kLongest) {
      fail({std::to_string(text_.size()) + " bytes", "at most " + std::to_string(kLongest),
            "use a component of role function"});
    }
    choice();
    if (!at_end()) fail({token(), "an operator or the end", kHint});
  }

  static ExpressionWords words() {
    ExpressionWords words;
    for (const Variable& one : kVariables) words.variables.push_back({one.name, one.meaning});
    for (const Function& one : kFunctions) words.functions.push_back({one.form, one.meaning});
    words.operators.push_back({"c ? x : y", "x when c is true, else y"});
    for (const Operator& one : kOperators) {
      words.operators.push_back({std::string("x ") + one.sign + " y", one.meaning});
    }
    for (const Operator& one : kSigns) {
      words.operators.push_back({std::string(one.sign) + "x", one.meaning});
    }
    words.operators.push_back({"x ** y", "power; binds tighter than a - before it"});
    return words;
  }

 private:
  static constexpr char kHint[] =
      "for example 0.1 * 0.5 ** floor(epoch_num / 10); see broch help expressions";
  static constexpr int kDeepest = 64;
  static constexpr size_t kMostOperators = 512;  // a chain is evaluated recursively

  // What a word of the text becomes, and its text in the help.
  struct Operator {
    int level;  // precedence; 0 is the lowest
    const char* sign;
    Kind kind;
    const char* meaning;
  };
  struct Variable {
    const char* name;
    Kind kind;
    const char* meaning;
  };
  struct Function {
    const char* name;
    Kind kind;
    int arguments;  // kMany: two or more
    const char* form;
    const char* meaning;
  };
  static constexpr int kMany = -1, kTerm = 6;
  static constexpr Operator kOperators[] = {
      {0, "||", Kind::either, "1 when one of them is true, else 0"},
      {1, "&&", Kind::both, "1 when both are true, else 0"},
      {2, "==", Kind::equal, "1 when they are equal, else 0"},
      {2, "!=", Kind::not_equal, "1 when they differ, else 0"},
      {3, "<=", Kind::less_equal, "1 when it holds, else 0"},
      {3, ">=", Kind::greater_equal, "1 when it holds, else 0"},
      {3, "<", Kind::less, "1 when it holds, else 0"},
      {3, ">", Kind::greater, "1 when it holds, else 0"},
      {4, "+", Kind::add, "sum"},
      {4, "-", Kind::subtract, "difference"},
      {5, "*", Kind::multiply, "product"},
      {5, "/", Kind::divide, "quotient"},
      {5, "%", Kind::modulo, "remainder, with the sign of y"}};
  static constexpr Operator kSigns[] = {{kTerm, "-", Kind::negate, "negative"},
                                        {kTerm, "!", Kind::invert, "1 when x is 0, else 0"}};
  static constexpr Variable kVariables[] = {
      {"epoch_num", Kind::epoch_num,
       "number of the epoch; before training, one less than the first"},
      {"local_step", Kind::local_step, "number of the step in the epoch, from 0"},
      {"global_step", Kind::global_step, "hooked runs completed since the model was created"},
      {"value", Kind::value, "the current value, which the result replaces"},
      {"pi", Kind::pi, "3.14159…"}};
  static constexpr Function kFunctions[] = {
      {"min", Kind::minimum, kMany, "min(x, y, …)", "the smallest"},
      {"max", Kind::maximum, kMany, "max(x, y, …)", "the largest"},
      {"exp", Kind::exp, 1, "exp(x)", "e to the power of x"},
      {"log", Kind::log, 1, "log(x)", "natural logarithm"},
      {"sqrt", Kind::sqrt, 1, "sqrt(x)", "square root"},
      {"pow", Kind::power, 2, "pow(x, y)", "x to the power of y, as x ** y"},
      {"cos", Kind::cos, 1, "cos(x)", "cosine of x in radians"},
      {"floor", Kind::floor, 1, "floor(x)", "the largest whole number not above x"},
      {"abs", Kind::abs, 1, "abs(x)", "absolute value"},
      {"stat", Kind::stat, 1, "stat(\"name\")", "latest value of a metric"},
      {"stop", Kind::stop, 0, "stop()", "ends training"}};

  [[noreturn]] void fail(const Remark& remark) const {
    const size_t column = 1 + base::characters_in(std::string_view(text_).substr(0, at_));
    Remark placed = remark;
    placed.found += " at column " + std::to_string(column) + " of " + base::quoted(text_);
    throw fault_at(option_.origin(), pointer_, placed);
  }

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n') ++at_;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  static bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string token() const {
    size_t size = 1;
    while (is_letter(peek()) && is_letter(peek(size))) ++size;
    while (!base::starts_character(peek(size))) ++size;
    return at_ >= text_.size() ? "the end" : base::quoted(text_.substr(at_, size));
  }

  bool take(std::string_view sign) {
    skip_space();
    if (!std::string_view(text_).substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  void need(const char* sign) {
    if (!take(sign)) fail({token(), "'" + std::string(sign) + "'", kHint});
  }

  size_t add(Kind kind, std::array<size_t, 3> children = {}) {
    if (nodes_.size() >= kMostOperators) {
      fail({"more than " + std::to_string(kMostOperators) + " parts", "fewer",
            "use a component of role function"});
    }
    Node node{kind, 0, "", {children[0], children[1], children[2]}};
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  size_t choice() {
    if (++depth_ > kDeepest) {
      fail({"more than " + std::to_string(kDeepest) + " levels", "fewer", "nest less deeply"});
    }
    size_t result = chain(0);
    if (take("?")) {
      const size_t yes = choice();
      need(":");
      result = add(Kind::choose, {result, yes, choice()});
    }
    --depth_;
    return result;
  }

  // Parses left (operator right)*, with operators of one level.
  size_t chain(int level) {
    if (level == kTerm) return signed_term();
    size_t left = chain(level + 1);
    while (const Operator* found = next_of(kOperators, level)) {
      left = add(found->kind, {left, chain(level + 1), 0});
    }
    return left;
  }

  const Operator* next_of(std::span<const Operator> operators, int level) {
    for (const Operator& candidate : operators) {
      if (candidate.level == level && take(candidate.sign)) return &candidate;
    }
    return nullptr;
  }

  size_t signed_term() {
    const Operator* sign = next_of(kSigns, kTerm);
    if (sign == nullptr) return power();
    if (++depth_ > kDeepest) fail({"too many signs", "fewer", kHint});
    const size_t term = signed_term();
    --depth_;
    return add(sign->kind, {term, 0, 0});
  }

  size_t power() {
    const size_t base = primary();
    if (!take("**")) return base;
    if (++depth_ > kDeepest) fail({"too many powers", "fewer", kHint});
    const size_t exponent = signed_term();
    --depth_;
    return add(Kind::power, {base, exponent, 0});
  }

  size_t primary() {
    skip_space();
    if (take("(")) {
      const size_t inner = choice();
      need(")");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(peek())) || peek() == '.') return constant();
    if (is_letter(peek())) return named();
    fail({token(), "a number, a variable, a function or '('", kHint});
  }

  size_t constant() {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc() || !std::isfinite(number)) {
      fail({token(), "a number that fits a double", kHint});
    }
    at_ = static_cast<size_t>(end - text_.data());
    const size_t node = add(Kind::constant);
    nodes_[node].constant = number;
    return node;
  }

  size_t named() {
    size_t size = 1;
    while (is_letter(peek(size))) ++size;
    const std::string name = text_.substr(at_, size);
    const size_t start = at_;
    at_ += size;
    for (const Variable& known : kVariables) {
      if (name == known.name) return add(known.kind);
    }
    for (const Function& known : kFunctions) {
      if (name == known.name) return call(known);
    }
    at_ = start;
    std::vector<std::string> names;
    for (const Variable& known : kVariables) names.emplace_back(known.name);
    for (const Function& known : kFunctions) names.emplace_back(known.name);
    fail({token(), one_of(names), nearest_hint(name, names, kHint)});
  }

  size_t call(const Function& function) {
    need("(");
    if (function.kind == Kind::stat) return stat();
    size_t result = function.arguments == 0 ? add(function.kind) : choice();
    if (function.arguments == 1) result = add(function.kind, {result, 0, 0});
    if (function.arguments == 2 || function.arguments == kMany) {
      do {
        need(",");
        result = add(function.kind, {result, choice(), 0});
      } while (function.arguments == kMany && (skip_space(), peek() == ','));
    }
    need(")");
    return result;
  }

  size_t stat() {
    need("\"");
    const size_t end = text_.find('"', at_);
    if (end == std::string::npos) fail({"a name without an end", "'\"'", "write stat(\"name\")"});
    const size_t node = add(Kind::stat);
    nodes_[node].name = text_.substr(at_, end - at_);
    at_ = end + 1;
    need(")");
    return node;
  }

  const Value& option_;
  const std::string& pointer_;
  const std::string& text_;
  std::vector<Node>& nodes_;
  size_t at_ = 0;
  int depth_ = 0;
};

Expression::Expression(const Value& option, const std::string& pointer) {
  if (option.is_number()) {
    nodes_.push_back({Kind::constant, option.number(), "", {}});
  } else if (option.is(Value::Kind::string)) {
    ExpressionParser(option, pointer, nodes_).parse();
  } else {
    throw fault_at(option.origin(), pointer,
                   {in_words(option), "an expression", "write a string or a number"});
  }
}

ExpressionWords expression_words() { return ExpressionParser::words(); }

}  // namespace broch::manifest
