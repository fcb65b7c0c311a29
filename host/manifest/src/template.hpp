// template.hpp: parses a string that contains ${…}.
//
//   ${vars.data}/train   $${not this}   ${env:DIR:-${manifest.dir}/data}
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "manifest/names.hpp"
#include "value/value.hpp"

namespace broch::manifest {

struct Piece {
  enum class Kind { literal, reference, environment };
  Kind kind = Kind::literal;
  std::string text;  // the literal, "vars.data", or the name of the environment variable
  bool has_default = false;
  std::vector<Piece> otherwise;  // the default
};
using Template = std::vector<Piece>;  // never two consecutive literals

inline constexpr char kSubstitutions[] =
    "${vars.<name>}, ${env:<NAME>}, ${env:<NAME>:-<default>}, ${manifest.dir} or ${name}";

// Whether the text contains ${.
bool is_template(std::string_view text);
// Whether the text consists of a single ${…}; its result keeps its type.
bool is_one_substitution(std::string_view text);
// REQUIRES: a string. Throws if a ${ has no end, or if its content is none of the above. Does not
// check whether variables exist.
Template read_template(const Value& text, const std::string& pointer);

}  // namespace broch::manifest
