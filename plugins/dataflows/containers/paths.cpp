// paths.cpp: braces as in a shell, then glob(3).
#include "containers/paths.hpp"

#include <glob.h>

#include <broch/cpp/error.hpp>
#include <charconv>
#include <optional>
#include <string_view>

#include "containers/index_cache.hpp"

namespace containers {
namespace {

constexpr size_t kMost = 1'000'000;

[[noreturn]] void refuse_many(const std::string& pattern) {
  throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                     pattern +
                         ": found more than 1,000,000 names in braces, expected fewer; "
                         "correct the range");
}

std::optional<uint64_t> number(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return value;
}

// What stands between braces, as a list. Empty: neither a range nor a list.
std::vector<std::string> alternatives(std::string_view inside, const std::string& pattern) {
  std::vector<std::string> list;
  if (const size_t dots = inside.find(".."); dots != inside.npos) {
    const auto first = number(inside.substr(0, dots)), last = number(inside.substr(dots + 2));
    if (!first || !last || *first > *last) return {};
    if (*last - *first >= kMost) refuse_many(pattern);
    for (uint64_t i = *first; i <= *last; ++i) {
      std::string digits = std::to_string(i);
      if (digits.size() < dots) digits.insert(0, dots - digits.size(), '0');
      list.push_back(digits);
    }
  } else if (inside.find(',') != inside.npos) {
    for (size_t at = 0; at <= inside.size();) {
      const size_t end = std::min(inside.find(',', at), inside.size());
      list.emplace_back(inside.substr(at, end - at));
      at = end + 1;
    }
  }
  return list;
}

// Braces are not nested.
std::vector<std::string> expand_braces(const std::string& pattern) {
  std::vector<std::string> names = {""};
  const auto append = [&names](std::string_view text) {
    for (std::string& name : names) name += text;
  };
  for (size_t at = 0; at < pattern.size();) {
    const size_t open = pattern.find('{', at);
    const size_t close = open == pattern.npos ? open : pattern.find('}', open);
    if (close == pattern.npos) {
      append(std::string_view(pattern).substr(at));
      break;
    }
    append(std::string_view(pattern).substr(at, open - at));
    const auto list =
        alternatives(std::string_view(pattern).substr(open + 1, close - open - 1), pattern);
    if (list.empty()) {
      append(std::string_view(pattern).substr(open, close - open + 1));
    } else {
      if (names.size() * list.size() > kMost) refuse_many(pattern);
      std::vector<std::string> longer;
      for (const std::string& name : names)
        for (const std::string& end : list) longer.push_back(name + end);
      names = std::move(longer);
    }
    at = close + 1;
  }
  return names;
}

// Also one that was being written when the program was killed, which has a number behind its name.
bool is_index(const std::string& name) {
  const size_t at = name.rfind(kIndexSuffix);
  if (at == name.npos) return false;
  const std::string behind = name.substr(at + std::string_view(kIndexSuffix).size());
  return behind.empty() || (behind[0] == '.' && number(std::string_view(behind).substr(1)));
}

void match(const std::string& pattern, std::vector<std::string>& found) {
  glob_t matches{};
  const int result = glob(pattern.c_str(), 0, nullptr, &matches);
  for (size_t i = 0; result == 0 && i < matches.gl_pathc; ++i) {
    const std::string name = matches.gl_pathv[i];
    if (!is_index(name)) found.push_back(name);
  }
  globfree(&matches);
  if (result != 0)
    throw broch::Error(
        BROCH_E_DATA_LOSS,
        pattern + ": found no file, expected at least one that matches; check the pattern");
}

}  // namespace

std::vector<std::string> expand_paths(const std::vector<std::string>& patterns) {
  std::vector<std::string> found;
  for (const std::string& pattern : patterns)
    for (const std::string& name : expand_braces(pattern)) {
      if (name.find_first_of("*?[") == name.npos)
        found.push_back(name);
      else
        match(name, found);
    }
  return found;
}

}  // namespace containers
