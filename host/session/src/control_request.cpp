// control_request.cpp: bounded before anything is copied.
#include "session/control_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::session {
namespace {

using What = ControlRequest::What;

[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& next) {
  throw base::Error(base::Exit::usage, {"request", found, expected, next});
}

struct Word {
  std::string_view word;
  What what;
};
constexpr Word kWords[] = {{"status", What::status}, {"stop", What::stop}, {"save", What::save}};
constexpr std::string_view kSet = "set ";

ControlRequest parse_set(std::string_view change) {
  const size_t sign = change.find('=');
  if (sign == std::string_view::npos || sign == 0)
    refuse(base::quoted(change), "NAME=NUMBER", "for example learning_rate=0.01");
  const std::string_view number = change.substr(sign + 1);
  ControlRequest request{What::set, std::string(change.substr(0, sign)), 0};
  const char* const end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, request.value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(request.value))
    refuse(base::quoted(number), "a finite number", "for example learning_rate=0.01");
  if (!base::is_utf8(request.name)) refuse(base::quoted(request.name), "UTF-8", "");
  return request;
}

}  // namespace

ControlRequest parse_control_request(std::string_view line) {
  if (line.size() >= kMaxControlRequest)
    refuse(std::to_string(line.size()) + " bytes",
           "fewer than " + std::to_string(kMaxControlRequest), "");
  if (line.starts_with(kSet)) return parse_set(line.substr(kSet.size()));
  for (const Word& known : kWords)
    if (line == known.word) return {known.what, "", 0};
  refuse(base::quoted(line), "status, stop, save or set NAME=NUMBER", "");
}

}  // namespace broch::session
