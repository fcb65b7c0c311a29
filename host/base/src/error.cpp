// error.cpp: a complaint as text.
#include "base/error.hpp"

namespace broch::base {
namespace {

std::string compose(const Complaint& complaint) {
  std::string text = complaint.place;
  const auto add = [&text](const char* separator, const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += separator;
    text += part;
  };
  add(": ", complaint.found);
  add(", ", complaint.expected.empty() ? "" : "expected " + complaint.expected);
  if (!complaint.next.empty()) text += "\n  hint: " + complaint.next;
  return text;
}

}  // namespace

Error::Error(Exit exit, const Complaint& complaint)
    : std::runtime_error(compose(complaint)), exit_(exit) {}

}  // namespace broch::base
