// expression_test.cpp: values by hand and by Python's rules; wrong ones with their column.
#include "manifest/expression.hpp"

#include <cmath>

#include "support.hpp"

using namespace broch::manifest;
using support::refusal;

namespace {

Expression::Context context() {
  Expression::Context context;
  context.epoch_num = 7;
  context.local_step = 3;
  context.global_step = 63;
  context.value = 0.5;
  context.stat = [](const std::string& name) { return name == "error" ? 0.25 : 100.0; };
  return context;
}

double value_of(const std::string& text) {
  return Expression(Value(text)).evaluate(context()).value();
}

std::string nested(const std::string& open, const std::string& close, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += open;
  text += "1";
  for (int i = 0; i < times; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("expression: operators have the value and the precedence they have in Python") {
  const std::pair<const char*, double> rows[] = {
      {"1 + 2 * 3", 7},     {"(1 + 2) * 3", 9},  {"10 - 4 - 3", 3},
      {"2 ** 3 ** 2", 512}, {"-2 ** 2", -4},     {"2 ** -1", 0.5},
      {"7 % 3", 1},         {"-7 % 3", 2},       {"7 % -3", -2},
      {"8 / 4 / 2", 1},     {"1e-3 * 2", 0.002}, {".5 + 1.", 1.5},
      {"1 < 2", 1},         {"2 <= 1", 0},       {"1 + 1 == 2", 1},
      {"1 != 1", 0},        {"0 || 3", 1},       {"2 && 0", 0},
      {"!0 + 1", 2},        {"1 ? 2 : 3", 2},    {"0 ? 1 : 0 ? 2 : 3", 3},
      {"--2", 2},           {"min(3, 1, 2)", 1}, {"max(1, 2 + 3)", 5},
      {"floor(-1.5)", -2},  {"abs(-3)", 3},      {"exp(0) + log(1)", 1}};
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(value_of(text) == expected);
  }
}

TEST_CASE("expression: sqrt, cos, pow and pi are those of IEEE doubles") {
  const std::pair<const char*, double> rows[] = {
      {"sqrt(2) ** 2", std::sqrt(2.0) * std::sqrt(2.0)},
      {"sqrt(0.25)", 0.5},
      {"pi", 3.14159265358979323846},
      {"cos(0)", 1},
      {"cos(pi)", -1},
      {"0.5 * (1 + cos(pi * local_step / 6))", 0.5 * (1 + std::cos(std::acos(-1.0) / 2))},
      {"pow(2, 10)", 1024},
      {"pow(value, 1 + 1)", 0.25},
      {"-pow(2, -1)", -0.5}};
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(value_of(text) == expected);
  }
  // Outside its domain a function is what the others are: no number.
  for (const char* text : {"sqrt(-1)", "log(-1)", "pow(-1, 0.5)", "cos(1 / 0)"}) {
    CAPTURE(text);
    CHECK(std::isnan(value_of(text)));
  }
}

TEST_CASE("expression: what help shows is what is understood") {
  const ExpressionWords words = expression_words();
  CHECK(words.variables.size() == 5);
  for (const ExpressionWord& variable : words.variables) {
    CHECK_NOTHROW(Expression(Value(variable.form)));
  }
  // "min(x, y, …)" with numbers for its letters
  const auto with_numbers = [](std::string form) {
    for (const auto& [word, number] : {std::pair<const char*, const char*>{"x,", "1,"},
                                       {"(x)", "(1)"},
                                       {" y", " 2"},
                                       {", …", ""},
                                       {"x ", "1 "},
                                       {" x", " 1"},
                                       {"-x", "-1"},
                                       {"!x", "!1"},
                                       {"c ", "0 "}}) {
      const size_t at = form.find(word);
      if (at != std::string::npos) form.replace(at, std::string(word).size(), number);
    }
    return form;
  };
  std::vector<ExpressionWord> forms = words.functions;
  forms.insert(forms.end(), words.operators.begin(), words.operators.end());
  CHECK(forms.size() > 20);
  for (const ExpressionWord& word : forms) {
    CAPTURE(with_numbers(word.form));
    CHECK_NOTHROW(Expression(Value(with_numbers(word.form))));
    CHECK(word.meaning != "");
  }
}

TEST_CASE("expression: variables and metrics come from the context") {
  CHECK(value_of("epoch_num + 10 * local_step + 100 * global_step") == 6337);
  CHECK(value_of("0.1 * value ** floor(epoch_num / 3)") == 0.1 * 0.25);
  CHECK(value_of("stat(\"error\") * 4") == 1);
  CHECK(Expression(Value("stat(\"a\") + stat(\"b\")")).stats() ==
        std::vector<std::string>{"a", "b"});
  CHECK(Expression(Value(0.25)).evaluate({}).value() == 0.25);
}

TEST_CASE("expression: stop ends it only where it is reached") {
  CHECK_FALSE(Expression(Value("stop()")).evaluate(context()).has_value());
  CHECK_FALSE(Expression(Value("1 + min(2, stop())")).evaluate(context()).has_value());
  CHECK_FALSE(Expression(Value("epoch_num > 6 ? stop() : 1")).evaluate(context()).has_value());
  CHECK(value_of("epoch_num > 7 ? stop() : 1") == 1);
  CHECK(value_of("1 || stop()") == 1);
}

TEST_CASE("expression: wrong ones are refused with column, found, expected and next step") {
  const std::pair<std::string, support::Expected> rows[] = {
      {"", {"", "the end at column 1", "a number, a variable", "for example"}},
      {"1 +", {"", "the end at column 4", "a number", "for example"}},
      {"1 2", {"", "'2' at column 3", "an operator or the end", "for example"}},
      {"(1", {"", "the end at column 3", "'\\)'", "for example"}},
      {"epoch", {"", "'epoch' at column 1", "one of epoch_num", "for example"}},
      {"epoch_nun",
       {"", "'epoch_nun' at column 1", "one of epoch_num", "did you mean 'epoch_num'"}},
      {"1 ? 2", {"", "the end at column 6", "':'", "for example"}},
      {"min(1)", {"", "'\\)' at column 6", "','", "for example"}},
      {"pow(2)", {"", "'\\)' at column 6", "','", "for example"}},
      {"pow(1, 2, 3)", {"", "',' at column 9", "'\\)'", "for example"}},
      {"sqrt(1, 2)", {"", "',' at column 7", "'\\)'", "for example"}},
      {"pi()", {"", "'\\(' at column 3", "an operator or the end", "for example"}},
      {"exp 1", {"", "'1' at column 5", "'\\('", "for example"}},
      {"stat(error)", {"", "'error' at column 6", "'\"'", "for example"}},
      {"stat(\"error", {"", "a name without an end", "'\"'", "stat"}},
      {"1e999", {"", "'1e999' at column 1", "fits a double", "for example"}},
      {"$x", {"", "'\\$' at column 1", "a number", "for example"}},
      {"2 \xC3\x97 3", {"", "'\xC3\x97' at column 3", "an operator or the end", "for example"}},
      {"stat(\"\xC3\xA9\") 2", {"", "'2' at column 11", "an operator or the end", "for example"}},
      {nested("(", ")", 100), {"", "more than 64 levels", "fewer", "nest"}},
      {nested("-", "", 100), {"", "too many signs", "fewer", "for example"}},
      {nested("1+", "", 600), {"", "more than 512 parts", "fewer", "role function"}},
      {std::string(5000, '1'), {"", "5000 bytes", "at most 4096", "role function"}},
  };
  for (const auto& [text, wanted] : rows) {
    support::check_refusal(text, refusal([&t = text] { Expression{Value(t)}; }), wanted);
  }
  CHECK(refusal([] { Expression{Value(true)}; }).exit == 3);
}
