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

// A failure whose message begins with the JSON pointer of the option that it is about.
class OptionError final : public broch::Error {
 public:
  using broch::Error::Error;
};

// What a step refuses is about that option, unless it says itself which one it is about.
template <class Step>
auto about(const std::string& option, Step step) {
  try {
    return step();
  } catch (const OptionError&) {
    throw;
  } catch (const broch::Error& error) {
    throw OptionError(error.status(), option + ": " + error.what());
  }
}

}  // namespace arrays
