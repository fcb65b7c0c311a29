// strings.hpp: the strings in a value.
#pragma once
#include <set>
#include <string>

#include "value/value.hpp"

namespace broch::predict {

inline void add_strings(const value::Value& value, std::set<std::string>& strings) {
  using Kind = value::Value::Kind;
  if (value.is(Kind::string)) strings.insert(value.string());
  if (value.is(Kind::array))
    for (const value::Value& one : value.array()) add_strings(one, strings);
  if (value.is(Kind::object))
    for (const value::Member& one : value.object()) add_strings(one.value, strings);
}

}  // namespace broch::predict
