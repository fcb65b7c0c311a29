// error.cpp: turns a diagnostic into text.
#include "base/error.hpp"

namespace broch::base {
namespace {

std::string compose(const Diagnostic& diagnostic) {
  std::string text = diagnostic.where;
  const auto add = [&text](const char* separator, const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += separator;
    text += part;
  };
  add(": ", diagnostic.found);
  add(", ", diagnostic.expected.empty() ? "" : "expected " + diagnostic.expected);
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

}  // namespace

Error::Error(Exit exit, const Diagnostic& diagnostic)
    : std::runtime_error(compose(diagnostic)), exit_(exit) {}

void fail(Exit exit, const std::string& where, const std::string& found,
          const std::string& expected, const std::string& hint) {
  throw Error(exit, {where, found, expected, hint});
}

}  // namespace broch::base
