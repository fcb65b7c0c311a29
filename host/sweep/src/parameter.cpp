// parameter.cpp: values of parameters, for grids and at random.
#include "sweep/parameter.hpp"

#include <algorithm>
#include <cmath>

#include "base/hash.hpp"
#include "base/philox.hpp"
#include "base/text.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::sweep {
namespace {

using Kind = Parameter::Kind;

constexpr double kInside = 0.381966;  // the part of a range that is below its sample

// Their ratio may be too large for a double.
double between_logarithms(double low, double high, double part) {
  const double ratio = high / low;
  return std::isfinite(ratio) ? low * std::pow(ratio, part)
                              : std::pow(low, 1 - part) * std::pow(high, part);
}

// part: from 0, the low end, to 1, the high end.
double between(const Parameter& parameter, double part) {
  const double low = parameter.low, high = parameter.high;
  if (part == 0 || part == 1) return part == 0 ? low : high;  // exactly, without rounding
  const double inside = parameter.kind == Kind::log_uniform ? between_logarithms(low, high, part)
                                                            : low + part * (high - low);
  return std::clamp(inside, low, high);
}

Value integer_between(const Parameter& parameter, double part) {
  return Value(int64_t(std::llround(between(parameter, part))));
}

}  // namespace

std::optional<std::vector<Value>> Parameter::grid() const {
  if (kind == Kind::values) return values;
  std::vector<Value> all;
  if (steps) {
    for (int64_t i = 0; i < *steps; ++i) {
      const double part = double(i) / double(*steps - 1);
      all.push_back(kind == Kind::integers ? integer_between(*this, part)
                                           : Value(between(*this, part)));
      if (all.size() > 1 && all.back() == all[all.size() - 2]) all.pop_back();
    }
    return all;
  }
  if (kind != Kind::integers) return std::nullopt;
  for (auto i = int64_t(low); i <= int64_t(high); ++i) all.emplace_back(i);
  return all;
}

Value Parameter::draw(uint64_t seed, uint64_t trial) const {
  base::PhiloxStream stream(base::hash64(path, seed), trial);
  switch (kind) {
    case Kind::values:
      return values[stream.below(values.size())];
    case Kind::integers:
      return Value(int64_t(low) + int64_t(stream.below(uint64_t(high - low) + 1)));
    default:
      return Value(between(*this, stream.uniform53()));
  }
}

std::vector<Value> Parameter::samples() const {
  if (kind == Kind::values) return values;
  if (kind == Kind::integers) return {Value(int64_t(low)), Value(int64_t(high))};
  // Where an integer is wanted, both ends may be whole numbers by chance.
  const double part = steps ? 1.0 / double(*steps - 1) : kInside;
  return {Value(low), Value(between(*this, part)), Value(high)};
}

bool Parameter::allows(const Value& value) const {
  if (kind == Kind::values) return std::ranges::find(values, value) != values.end();
  if (!value.is_number() || (kind == Kind::integers && !value.is(Value::Kind::integer)))
    return false;
  return value.number() >= low && value.number() <= high;
}

std::string Parameter::expected() const {
  if (kind == Kind::values) {
    std::vector<std::string> texts;
    for (const Value& value : values) texts.push_back(value::to_text(value));
    return value::one_of(texts);
  }
  return std::string(kind == Kind::integers ? "an integer" : "a number") + " from " +
         base::shortest(low) + " to " + base::shortest(high);
}

}  // namespace broch::sweep
