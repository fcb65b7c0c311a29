// wrapped.hpp: puts a component around another one in a manifest.
#pragma once
#include <string>

#include "value/value.hpp"

namespace broch::session {

// {"use": use, "with": {option: inner}}, with the position of inner in the manifest. option must be
// a string literal, because the origin keeps the pointer.
inline value::Value wrapped(const std::string& use, const char* option, const value::Value& inner,
                            value::Origin origin) {
  using value::Value;
  Value with(Value::Object{}, origin);
  with.set(option, inner);
  Value entry(Value::Object{}, inner.origin());
  origin.wraps = option;
  entry.set("use", Value(use, origin));
  entry.set("with", std::move(with));
  return entry;
}

}  // namespace broch::session
