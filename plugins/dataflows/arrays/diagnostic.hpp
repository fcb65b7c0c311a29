// diagnostic.hpp: errors about files and options.
#pragma once
#include <archive/refuse.hpp>
#include <string>

namespace arrays {

using broch::archive::quoted;
using broch::archive::refuse;

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
