// request.cpp: parses requests; checks the length before it copies anything.
#include "control/request.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace broch::control {
namespace {

using What = Request::What;

[[noreturn]] void refuse(const std::string& found, const std::string& expected,
                         const std::string& hint) {
  throw base::Error(base::Exit::usage, {"request", found, expected, hint});
}

struct Word {
  std::string_view word;
  What what;
};
constexpr Word kWords[] = {{"status", What::status}, {"stop", What::stop}, {"save", What::save}};
constexpr std::string_view kSet = "set ";

Request parse_set(std::string_view change) {
  const size_t sign = change.find('=');
  if (sign == std::string_view::npos || sign == 0)
    refuse(base::quoted(change), "NAME=VALUE", "for example learning_rate=0.01");
  if (!base::is_utf8(change) || change.find('\0') != std::string_view::npos)
    refuse(base::quoted(change), "text in UTF-8", "");
  return {What::set, std::string(change.substr(0, sign)), std::string(change.substr(sign + 1))};
}

}  // namespace

Request parse_request(std::string_view line) {
  if (line.size() >= kMaxRequest)
    refuse(std::to_string(line.size()) + " bytes", "fewer than " + std::to_string(kMaxRequest), "");
  if (line.starts_with(kSet)) return parse_set(line.substr(kSet.size()));
  for (const Word& known : kWords)
    if (line == known.word) return {known.what, "", ""};
  refuse(base::quoted(line), "status, stop, save or set NAME=VALUE", "");
}

}  // namespace broch::control
