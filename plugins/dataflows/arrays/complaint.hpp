// complaint.hpp: how a file is refused: the place, what was found and expected, what to do next.
#pragma once
#include <broch/cpp/error.hpp>
#include <string>
#include <string_view>

namespace arrays {

// Bytes of a file inside a message: in quotes, short, and printable whatever they are.
std::string quoted(std::string_view bytes);

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_DATA_LOSS,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

}  // namespace arrays
