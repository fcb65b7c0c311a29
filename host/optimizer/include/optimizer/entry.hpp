// entry.hpp: the entry of an optimizer or of a gradient processor, with its place.
#pragma once
#include <string>

#include "value/value.hpp"

namespace broch::optimizer {

// {"use": …, "with": {…}} or a bare name, as in a manifest.
struct Entry {
  value::Value value;
  std::string pointer;  // of the value in its source: "/optimizer"; "": it is the whole source

  // Whether they mean the same, wherever they were written.
  bool operator==(const Entry& other) const { return value == other.value; }
};

// Reads an entry that a plugin gave as text. source: what gave it, for messages.
Entry parse_entry(const std::string& text, const std::string& source);

}  // namespace broch::optimizer
