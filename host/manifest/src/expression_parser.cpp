// expression_parser.cpp: precedence climbing, one function for each group of operators.
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "manifest/expression.hpp"
#include "manifest/fault.hpp"

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

 private:
  static constexpr char kHint[] = "for example 0.1 * 0.5 ** floor(epoch_num / 10)";
  static constexpr int kDeepest = 64;
  static constexpr size_t kMostOperators = 512;  // chains are evaluated as deep as they are long

  struct Operator {
    const char* sign;
    Kind kind;
  };
  static constexpr std::pair<const char*, Kind> kVariables[] = {{"epoch_num", Kind::epoch_num},
                                                                {"local_step", Kind::local_step},
                                                                {"global_step", Kind::global_step},
                                                                {"value", Kind::value}};
  static constexpr std::pair<const char*, Kind> kFunctions[] = {
      {"min", Kind::minimum}, {"max", Kind::maximum}, {"exp", Kind::exp},   {"log", Kind::log},
      {"floor", Kind::floor}, {"abs", Kind::abs},     {"stat", Kind::stat}, {"stop", Kind::stop}};

  [[noreturn]] void fail(const Remark& remark) const {
    Remark placed = remark;
    placed.found += " at column " + std::to_string(at_ + 1) + " of " + base::quoted(text_);
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
    size_t result = either();
    if (take("?")) {
      const size_t yes = choice();
      need(":");
      result = add(Kind::choose, {result, yes, choice()});
    }
    --depth_;
    return result;
  }

  // left (op right)*, all of one precedence.
  template <size_t N>
  size_t chain(const Operator (&operators)[N], size_t (ExpressionParser::*tighter)()) {
    size_t left = (this->*tighter)();
    while (const Operator* found = next_of(operators)) {
      left = add(found->kind, {left, (this->*tighter)(), 0});
    }
    return left;
  }

  template <size_t N>
  const Operator* next_of(const Operator (&operators)[N]) {
    for (const Operator& candidate : operators) {
      if (take(candidate.sign)) return &candidate;
    }
    return nullptr;
  }

  size_t either() {
    static constexpr Operator kOperators[] = {{"||", Kind::either}};
    return chain(kOperators, &ExpressionParser::both);
  }
  size_t both() {
    static constexpr Operator kOperators[] = {{"&&", Kind::both}};
    return chain(kOperators, &ExpressionParser::equality);
  }
  size_t equality() {
    static constexpr Operator kOperators[] = {{"==", Kind::equal}, {"!=", Kind::not_equal}};
    return chain(kOperators, &ExpressionParser::comparison);
  }
  size_t comparison() {
    static constexpr Operator kOperators[] = {{"<=", Kind::less_equal},
                                              {">=", Kind::greater_equal},
                                              {"<", Kind::less},
                                              {">", Kind::greater}};
    return chain(kOperators, &ExpressionParser::sum);
  }
  size_t sum() {
    static constexpr Operator kOperators[] = {{"+", Kind::add}, {"-", Kind::subtract}};
    return chain(kOperators, &ExpressionParser::product);
  }
  size_t product() {
    static constexpr Operator kOperators[] = {
        {"*", Kind::multiply}, {"/", Kind::divide}, {"%", Kind::modulo}};
    return chain(kOperators, &ExpressionParser::signed_term);
  }

  size_t signed_term() {
    static constexpr Operator kSigns[] = {{"-", Kind::negate}, {"!", Kind::invert}};
    const Operator* sign = next_of(kSigns);
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
    for (const auto& [known, kind] : kVariables) {
      if (name == known) return add(kind);
    }
    for (const auto& [known, kind] : kFunctions) {
      if (name == known) return call(kind);
    }
    at_ = start;
    std::vector<std::string> names;
    for (const auto& [known, kind] : kVariables) names.emplace_back(known);
    for (const auto& [known, kind] : kFunctions) names.emplace_back(known);
    fail({token(), one_of(names), nearest_hint(name, names, kHint)});
  }

  size_t call(Kind kind) {
    need("(");
    if (kind == Kind::stat) return stat();
    size_t result = 0;
    if (kind == Kind::stop) {
      result = add(kind);
    } else if (kind == Kind::minimum || kind == Kind::maximum) {
      result = choice();
      do {
        need(",");
        result = add(kind, {result, choice(), 0});
      } while (skip_space(), peek() == ',');
    } else {
      result = add(kind, {choice(), 0, 0});
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

}  // namespace broch::manifest
