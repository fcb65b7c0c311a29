// wrapped.hpp: an entry of a manifest around another one.
#pragma once
#include "manifest/value.hpp"

namespace broch::session {

// {"use": use, "with": {option: inner}}
inline manifest::Value wrapped(const char* use, const char* option, const manifest::Value& inner,
                               const manifest::Origin& origin) {
  using manifest::Value;
  Value with(Value::Object{}, origin);
  with.set(option, inner);
  Value entry(Value::Object{}, origin);
  entry.set("use", Value(use, origin));
  entry.set("with", std::move(with));
  return entry;
}

}  // namespace broch::session
