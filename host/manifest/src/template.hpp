// template.hpp: the text of a string with ${…} in it, taken apart.
//
//   ${vars.data}/train   $${not this}   ${env:DIR:-${manifest.dir}/data}
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "manifest/value.hpp"

namespace broch::manifest {

struct Piece {
  enum class Kind { literal, reference, environment };
  Kind kind = Kind::literal;
  std::string text;  // the literal, "vars.data", or the name of the environment variable
  bool has_default = false;
  std::vector<Piece> otherwise;  // the default
};
using Template = std::vector<Piece>;  // no two literals beside each other

inline constexpr char kSubstitutions[] =
    "${vars.<name>}, ${env:<NAME>}, ${env:<NAME>:-<default>}, ${manifest.dir} or ${name}";

// Does it hold anything but itself?
bool is_template(std::string_view text);
// One ${…} and nothing else: what it gives keeps its kind.
bool is_one_substitution(std::string_view text);
// Of a string. Throws when a ${ has no end or its inside is no word of the language; whether it
// leads anywhere is not looked at.
Template read_template(const Value& text, const std::string& pointer);
// The text in the form that reads as itself: $${ for ${.
std::string as_literal(std::string_view text);

}  // namespace broch::manifest
