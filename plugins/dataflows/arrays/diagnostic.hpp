// diagnostic.hpp: errors about files: where, what was found and expected, and what to do next.
#pragma once
#include <broch/cpp/error.hpp>
#include <string>
#include <string_view>

namespace arrays {

// Bytes of a file for a message: in quotes, at most 40 of them, unprintable ones as \xNN.
std::string quoted(std::string_view bytes);

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_DATA_LOSS,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

// A failure whose message begins with the JSON pointer of an option.
class OptionError final : public broch::Error {
 public:
  using broch::Error::Error;
};

// Runs step. An error that it throws is reported as one about this option, unless it already names
// an option.
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
