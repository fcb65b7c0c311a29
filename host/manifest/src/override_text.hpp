// override_text.hpp: parses the text of one override.
#pragma once
#include <string>
#include <vector>

#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

struct Step {
  enum class Kind { key, place, name };  // trainer, [0], [NAME]
  Kind kind = Kind::key;
  std::string text;
  size_t index = 0;
};

struct Override {
  enum class Kind { set, remove, append };
  Kind kind = Kind::set;
  std::string path;  // as written, with ~ or +
  std::vector<Step> steps;
  Value value;  // its origin is "override <path>"
  Origin origin;
};

Override read_override(const std::string& text);

}  // namespace broch::manifest
