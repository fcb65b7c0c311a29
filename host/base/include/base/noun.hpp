// noun.hpp: nouns in messages.
#pragma once
#include <cstdint>
#include <string>

namespace broch::base {

// "a dataflow", "an optimizer"; by the first letter.
std::string with_article(const std::string& noun);
// "1 callback", "2 callbacks"; plural where it is not made with an s: "2 entries".
std::string counted(int64_t count, const std::string& noun, const std::string& plural = "");

}  // namespace broch::base
