// wrapped.hpp: an entry of a manifest around another one.
#pragma once
#include <string>

#include "manifest/value.hpp"

namespace broch::session {

// {"use": use, "with": {option: inner}}, with the place of what is inside; option: a literal.
inline manifest::Value wrapped(const std::string& use, const char* option,
                               const manifest::Value& inner, manifest::Origin origin) {
  using manifest::Value;
  Value with(Value::Object{}, origin);
  with.set(option, inner);
  Value entry(Value::Object{}, inner.origin());
  origin.wraps = option;
  entry.set("use", Value(use, origin));
  entry.set("with", std::move(with));
  return entry;
}

}  // namespace broch::session
