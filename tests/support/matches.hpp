// matches.hpp: regular expressions for all tests. std::regex takes seconds per source file to
// compile, so it is compiled once, in matches.cpp.
#pragma once
#include <string>
#include <vector>

namespace support {

// Whether the text holds a match of the ECMAScript expression.
bool matches(const std::string& text, const std::string& expression);

// The first match in the text, and what its groups hold; empty if there is none.
std::vector<std::string> first_match(const std::string& text, const std::string& expression);

}  // namespace support
