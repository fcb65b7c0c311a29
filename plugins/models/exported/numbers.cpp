// numbers.cpp: functions of Python's operator and math, and of torch, on numbers.
#include "models/exported/numbers.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <cmath>
#include <map>

namespace exported {
namespace {

bool is_double(const Number& number) { return number.tag == BROCH_TAG_DOUBLE; }

Number rounded(double value) {
  if (!(std::abs(value) < 9.2e18)) throw broch::Error("a number is too large for an integer");
  return broch_int(int64_t(value));
}

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) throw broch::Error("a division by zero");
  if (b == -1) return int64_t(0 - uint64_t(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

int64_t power(int64_t base, int64_t exponent) {
  uint64_t result = 1;
  for (uint64_t factor = uint64_t(base); exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1) result *= factor;
  return int64_t(result);
}

// Integers stay integers, without a check for more than 64 bits.
template <class Integers, class Doubles>
Number either(const Number& a, const Number& b, Integers integers, Doubles doubles) {
  if (is_double(a) || is_double(b)) return broch_double(doubles(as_double(a), as_double(b)));
  return broch_int(int64_t(integers(uint64_t(as_integer(a)), uint64_t(as_integer(b)))));
}

struct Division {
  double quotient, rest;
};
// Not the floor of a / b, which is rounded: of 1 and 0.1 it is 10, but 0.1 is a bit more than a
// tenth, so that it fits 9 times.
Division divided(double a, double b) {
  if (b == 0) throw broch::Error("a division by zero");
  double rest = std::fmod(a, b), quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    rest += b;
    quotient -= 1;
  }
  return {std::round(quotient), rest};
}

Number floor_divided(const Number& a, const Number& b) {
  if (!is_double(a) && !is_double(b))
    return broch_int(floor_quotient(as_integer(a), as_integer(b)));
  return broch_double(divided(as_double(a), as_double(b)).quotient);
}
Number modulo(const Number& a, const Number& b) {
  if (is_double(a) || is_double(b)) return broch_double(divided(as_double(a), as_double(b)).rest);
  const uint64_t whole = uint64_t(floor_quotient(as_integer(a), as_integer(b)));
  return broch_int(int64_t(uint64_t(as_integer(a)) - whole * uint64_t(as_integer(b))));
}
Number powered(const Number& a, const Number& b) {
  if (is_double(a) || is_double(b) || as_integer(b) < 0)
    return broch_double(std::pow(as_double(a), as_double(b)));
  return broch_int(power(as_integer(a), as_integer(b)));
}
int compared(const Number& a, const Number& b) {
  if (!is_double(a) && !is_double(b))
    return as_integer(a) < as_integer(b) ? -1 : as_integer(a) > as_integer(b);
  return as_double(a) < as_double(b) ? -1 : as_double(a) > as_double(b);
}
Number negative(const Number& a) {
  return is_double(a) ? broch_double(-a.u.f64) : broch_int(int64_t(0 - uint64_t(a.u.i64)));
}
int64_t shift_of(const Number& b) {
  const int64_t bits = as_integer(b);
  if (bits < 0 || bits > 62) throw broch::Error("a shift by " + std::to_string(bits) + " bits");
  return bits;
}

using Arguments = std::vector<Number>;
struct Function {
  size_t arguments;  // 0: at least one
  Number (*compute)(const Arguments& a);
};

Number largest(const Arguments& a) {
  return *std::max_element(a.begin(), a.end(),
                           [](const Number& x, const Number& y) { return compared(x, y) < 0; });
}
Number smallest(const Arguments& a) {
  return *std::min_element(a.begin(), a.end(),
                           [](const Number& x, const Number& y) { return compared(x, y) < 0; });
}
Number added(const Number& a, const Number& b) {
  return either(
      a, b, [](uint64_t x, uint64_t y) { return x + y; }, [](double x, double y) { return x + y; });
}
Number summed(const Arguments& a) {
  Number sum = broch_int(0);
  for (const Number& one : a) sum = added(sum, one);
  return sum;
}

const std::map<std::string, Function>& functions() {
  using A = Arguments;
  static const std::map<std::string, Function> all = {
      {"add", {2, [](const A& a) { return added(a[0], a[1]); }}},
      {"sub", {2, [](const A& a) { return added(a[0], negative(a[1])); }}},
      {"mul",
       {2,
        [](const A& a) {
          return either(
              a[0], a[1], [](uint64_t x, uint64_t y) { return x * y; },
              [](double x, double y) { return x * y; });
        }}},
      {"floordiv", {2, [](const A& a) { return floor_divided(a[0], a[1]); }}},
      {"truediv",
       {2,
        [](const A& a) {
          if (as_double(a[1]) == 0) throw broch::Error("a division by zero");
          return broch_double(as_double(a[0]) / as_double(a[1]));
        }}},
      {"mod", {2, [](const A& a) { return modulo(a[0], a[1]); }}},
      {"pow", {2, [](const A& a) { return powered(a[0], a[1]); }}},
      {"neg", {1, [](const A& a) { return negative(a[0]); }}},
      {"pos", {1, [](const A& a) { return a[0]; }}},
      {"eq", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) == 0); }}},
      {"ne", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) != 0); }}},
      {"lt", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) < 0); }}},
      {"le", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) <= 0); }}},
      {"gt", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) > 0); }}},
      {"ge", {2, [](const A& a) { return broch_bool(compared(a[0], a[1]) >= 0); }}},
      {"and_", {2, [](const A& a) { return broch_int(as_integer(a[0]) & as_integer(a[1])); }}},
      {"or_", {2, [](const A& a) { return broch_int(as_integer(a[0]) | as_integer(a[1])); }}},
      {"lshift",
       {2,
        [](const A& a) {
          return broch_int(int64_t(uint64_t(as_integer(a[0])) << shift_of(a[1])));
        }}},
      {"rshift", {2, [](const A& a) { return broch_int(as_integer(a[0]) >> shift_of(a[1])); }}},
      {"trunc",
       {1, [](const A& a) { return is_double(a[0]) ? rounded(std::trunc(a[0].u.f64)) : a[0]; }}},
      {"floor",
       {1, [](const A& a) { return is_double(a[0]) ? rounded(std::floor(a[0].u.f64)) : a[0]; }}},
      {"ceil",
       {1, [](const A& a) { return is_double(a[0]) ? rounded(std::ceil(a[0].u.f64)) : a[0]; }}},
      {"sqrt", {1, [](const A& a) { return broch_double(std::sqrt(as_double(a[0]))); }}},
      {"sym_not", {1, [](const A& a) { return broch_bool(as_double(a[0]) == 0); }}},
      {"sym_int", {1, [](const A& a) { return broch_int(as_integer(a[0])); }}},
      {"sym_float", {1, [](const A& a) { return broch_double(as_double(a[0])); }}},
      {"sym_sqrt", {1, [](const A& a) { return broch_double(std::sqrt(as_double(a[0]))); }}},
      {"sym_ite", {3, [](const A& a) { return as_double(a[0]) != 0 ? a[1] : a[2]; }}},
      {"sym_max", {0, largest}},
      {"sym_min", {0, smallest}},
      {"sym_sum", {0, summed}}};
  return all;
}

// "mul" of "_operator.mul"; "" of what is none of these modules.
std::string function_name(const std::string& target) {
  for (const char* module : {"_operator.", "operator.", "math.", "torch."}) {
    const std::string begin = module;
    if (target.compare(0, begin.size(), begin) != 0) continue;
    const std::string name = target.substr(begin.size());
    return name.compare(0, 5, "_sym_") == 0 ? name.substr(1) : name;
  }
  return "";
}

}  // namespace

bool is_number_function(const std::string& target) {
  return functions().count(function_name(target)) > 0;
}

Number number_function(const std::string& target, const std::vector<Number>& arguments) {
  const Function& function = functions().at(function_name(target));
  if (function.arguments ? arguments.size() != function.arguments : arguments.empty())
    throw broch::Error(target + " has " + std::to_string(arguments.size()) + " arguments");
  return function.compute(arguments);
}

double as_double(const Number& number) {
  return is_double(number) ? number.u.f64 : double(number.u.i64);
}
int64_t as_integer(const Number& number) {
  return is_double(number) ? rounded(std::trunc(number.u.f64)).u.i64 : number.u.i64;
}

}  // namespace exported
