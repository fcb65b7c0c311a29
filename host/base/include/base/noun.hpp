// noun.hpp: forms of nouns for messages.
#pragma once
#include <cstdint>
#include <string>

namespace broch::base {

// "a dataflow" or "an optimizer"; the first letter decides.
std::string with_article(const std::string& noun);
// "1 callback", "2 callbacks". `plural` is for a noun that does not just take an s: "2 entries".
std::string counted(int64_t count, const std::string& noun, const std::string& plural = "");

}  // namespace broch::base
