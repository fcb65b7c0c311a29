// refuse.hpp: errors about files: where, what was found and expected, and what to do next. They are
// the SDK's, since plugins read with this room, too.
#pragma once
#include <broch/cpp/error.hpp>
#include <string>
#include <string_view>

namespace broch::archive {

// Bytes of a file for a message: in quotes, at most 40 of them, unprintable ones as \xNN.
std::string quoted(std::string_view bytes);

// An Error with the parts of its message.
class FileError final : public Error {
 public:
  FileError(std::string at, std::string what, std::string wanted, std::string advice,
            broch_status status)
      : Error(status, at + ": found " + what + ", expected " + wanted + "; " + advice),
        place(std::move(at)),
        found(std::move(what)),
        expected(std::move(wanted)),
        next(std::move(advice)) {}

  const std::string place, found, expected, next;
};

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next,
                                broch_status status = BROCH_E_DATA_LOSS) {
  throw FileError(place, found, expected, next, status);
}

}  // namespace broch::archive
