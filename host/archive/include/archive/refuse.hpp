// refuse.hpp: errors about files: where, what was found and expected, and what to do next. They are
// the SDK's, since plugins read with this room, too.
#pragma once
#include <broch/cpp/error.hpp>
#include <string>
#include <string_view>

namespace broch::archive {

// Bytes of a file for a message: in quotes, at most 40 of them, unprintable ones as \xNN.
std::string quoted(std::string_view bytes);

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_DATA_LOSS,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

}  // namespace broch::archive
