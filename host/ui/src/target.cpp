// target.cpp: takes a target apart, and only then decodes what stands in it.
#include "target.hpp"

#include <charconv>

#include "base/text.hpp"
#include "refusal.hpp"

namespace broch::ui {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = char(c | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

std::string decoded(std::string_view text, bool plus_is_space) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      result += ' ';
    } else if (text[i] == '%') {
      const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
      const int low = high >= 0 ? digit(text[i + 2]) : -1;
      if (low < 0) throw Refusal(kBadRequest, "target: a malformed %, expected % and two digits");
      result += char(high * 16 + low);
      i += 2;
    } else {
      result += text[i];
    }
  }
  if (!base::is_utf8(result) || result.find('\0') != result.npos)
    throw Refusal(kBadRequest, "target: no text, expected UTF-8");
  return result;
}

// Calls visit for each part between separators.
template <class Visit>
void split(std::string_view text, char separator, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string Target::text(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

int64_t Target::number(const std::string& name, int64_t missing, int64_t least,
                       int64_t most) const {
  const std::string value = text(name);
  if (value.empty()) return missing;
  int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end || number < least || number > most)
    throw Refusal(kBadRequest, name + ": found " + base::quoted(value) + ", expected a number of " +
                                   std::to_string(least) + " to " + std::to_string(most));
  return number;
}

Target parse_target(std::string_view target) {
  Target parsed;
  const size_t mark = std::min(target.find('?'), target.size());
  split(target.substr(0, mark), '/',
        [&](std::string_view part) { parsed.path.push_back(decoded(part, false)); });
  if (mark == target.size()) return parsed;
  split(target.substr(mark + 1), '&', [&](std::string_view part) {
    const size_t sign = std::min(part.find('='), part.size());
    const std::string name = decoded(part.substr(0, sign), true);
    const std::string_view value = sign == part.size() ? "" : part.substr(sign + 1);
    if (!parsed.query.emplace(name, decoded(value, true)).second)
      throw Refusal(kBadRequest, "target: " + base::quoted(name) + " twice, expected it once");
  });
  return parsed;
}

}  // namespace broch::ui
