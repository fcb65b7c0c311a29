// make.cpp: values from C++ values.
#include "value/make.hpp"

#include <cmath>
#include <limits>

namespace broch::value {

Value object(std::initializer_list<std::pair<const char*, Value>> members) {
  Value value{Value::Object{}};
  for (const auto& [key, member] : members) value.set(key, member);
  return value;
}

Value list(const std::vector<std::string>& texts) {
  Value::Array array;
  for (const std::string& one : texts) array.emplace_back(one);
  return Value(std::move(array));
}

Value text_or_null(const std::string& value) { return value.empty() ? Value() : text(value); }

Value integer(std::optional<int64_t> value) { return value ? Value(*value) : Value(); }

Value number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Value(*value) : Value();
}

Value numbers(const std::vector<double>& values) {
  Value::Array all;
  for (const double value : values) all.push_back(number(value));
  return Value(std::move(all));
}

double number_or_nan(const Value& value) {
  return value.is_number() ? value.number() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace broch::value
