// make.hpp: values that a program writes: object({{"name", text(name)}, {"steps", integer(9)}}).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "value/value.hpp"

namespace broch::value {

Value object(std::initializer_list<std::pair<const char*, Value>> members);
Value list(const std::vector<std::string>& texts);
inline Value text(std::string value) { return Value(std::move(value)); }
Value text_or_null(const std::string& value);  // null if it is empty
Value integer(std::optional<int64_t> value);   // null if there is none
Value number(std::optional<double> value);     // null if there is none, or it is not finite …
Value numbers(const std::vector<double>& values);
double number_or_nan(const Value& value);  // … and back

}  // namespace broch::value
