// text.cpp: text for messages.
#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace broch::base {
namespace {

// The edit distance in which swapping two neighbors counts one (optimal string alignment).
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// The length of the UTF-8 sequence at the start, or 0 if it is malformed (RFC 3629, section 4).
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if (starts_character(text[i])) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool beyond = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

std::string escaped(unsigned char byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    case '\'':
      return "\\'";
    default:
      break;
  }
  if (byte >= 0x20 && byte < 0x7F) return std::string(1, static_cast<char>(byte));
  return "\\x" + hexadecimal({reinterpret_cast<const char*>(&byte), 1});
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const size_t limit = (std::max(word.size(), candidate.size()) + 2) / 3;
    const size_t found = distance(word, candidate);
    if (found > limit || (!best.empty() && found >= best_distance)) continue;
    best = candidate;
    best_distance = found;
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string best = nearest(word, candidates);
  return best.empty() ? "" : ", did you mean " + base::quoted(best) + "?";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string quoted(std::string_view text) {
  constexpr size_t kLimit = 80;
  std::string result = "'";
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_length(text.substr(at));
    if (at + std::max<size_t>(length, 1) > kLimit) {
      result += "…";
      break;
    }
    if (length > 1) {
      result += text.substr(at, length);
    } else {
      result += escaped(static_cast<unsigned char>(text[at]));
    }
    at += std::max<size_t>(length, 1);
  }
  return result + "'";
}

std::string hexadecimal(std::string_view bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return digits;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_printable(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; };
  return !text.empty() && is_utf8(text) && std::ranges::none_of(text, is_control);
}

std::string to_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    result += length ? text.substr(0, length) : "\xef\xbf\xbd";
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

std::string humanize_seconds(double seconds) {
  if (std::isnan(seconds) || seconds < 0) return general(seconds, 3) + " seconds";
  if (seconds == 0) return "0 second";
  const double days = std::floor(seconds / 86400);
  const double whole = std::floor(std::fmod(seconds, 86400));
  const double last = seconds < 60 ? seconds : std::fmod(whole, 60);
  std::vector<std::string> parts;
  const auto add = [&parts](double value, const char* unit) {
    if (value > 0) parts.push_back(general(value, 3) + " " + unit + (value > 1 ? "s" : ""));
  };
  add(days, "day");
  add(std::floor(whole / 3600), "hour");
  add(std::floor(std::fmod(whole, 3600) / 60), "minute");
  add(last, "second");
  return join(parts, " ");
}

std::string shape_text(std::span<const int64_t> sizes) {
  std::string text = "(";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string general(double value, int digits) {
  std::string text(static_cast<size_t>(std::max(digits, 1)) + 32, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, digits);
  text.resize(static_cast<size_t>(end.ptr - text.data()));
  return text;
}

}  // namespace broch::base
