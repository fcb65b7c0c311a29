// scanner.cpp: the tokens of JSON text.
#include "scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace broch::value {
namespace {

void append_utf8(std::string& text, uint32_t point) {
  const auto tail = [point](int shift) {
    return static_cast<char>(0x80 | ((point >> shift) & 63));
  };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | (point >> 6));
    text += tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | (point >> 12));
    text += {tail(6), tail(0)};
  } else {
    text += static_cast<char>(0xF0 | (point >> 18));
    text += {tail(12), tail(6), tail(0)};
  }
}

}  // namespace

bool Scanner::is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

void Scanner::check_text() {
  if (text_.size() > limits().text_bytes) {
    fail(here(), {std::to_string(text_.size()) + " bytes of text", at_most(limits().text_bytes),
                  "keep bulk data in files of its own and name them here"});
  }
  if (text_.starts_with(base::kByteOrderMark))
    counted_ = at_ = base::kByteOrderMark.size();  // editors show no column for it
  require_utf8();
}

Origin Scanner::here() {
  if (counted_ < at_) {
    column_ += static_cast<int>(base::characters_in(text_.substr(counted_, at_ - counted_)));
    counted_ = at_;
  }
  return {source_, line_, column_};
}

std::string Scanner::token() const {
  if (at_ >= text_.size()) return "the end of the text";
  size_t size = 1;
  if (is_word(peek())) {
    while (size < 40 && is_word(peek(size))) ++size;
  }
  while (!base::starts_character(peek(size))) ++size;
  return base::quoted(text_.substr(at_, size));
}

void Scanner::require_utf8() {
  if (base::is_utf8(text_)) return;
  while (true) {  // first finds the bad line, then the bad character in it
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    if (!base::is_utf8(text_.substr(at_, end - at_))) break;
    at_ = end;
    new_line();
  }
  for (size_t size = 1; size <= 4 && at_ < text_.size();) {
    const bool whole = base::is_utf8(text_.substr(at_, size));
    if (whole) at_ += size;
    size = whole ? 1 : size + 1;
  }
  fail(here(), {"a byte that is no UTF-8", "UTF-8 text", "save the file in UTF-8"});
}

void Scanner::new_line() {  // REQUIRES: at_ is at the line feed
  ++at_;
  ++line_;
  column_ = 1;
  counted_ = at_;
}

void Scanner::skip_space() {
  while (at_ < text_.size()) {
    const char c = peek();
    if (c == '\n') {
      new_line();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/') {
      skip_comment();
    } else {
      return;
    }
  }
}

void Scanner::skip_comment() {
  const Origin start = here();
  if (!dialect_.relaxed) fail(start, {"a comment", "strict JSON", "remove the comment"});
  if (peek(1) == '/') {
    at_ = std::min(text_.find('\n', at_), text_.size());
  } else if (peek(1) == '*') {
    skip_block_comment(start);
  } else {
    fail(start, {"'/'", "a value", "a comment starts with // or /*"});
  }
}

void Scanner::skip_block_comment(const Origin& start) {
  for (at_ += 2; at_ < text_.size(); peek() == '\n' ? new_line() : void(++at_)) {
    if (peek() == '*' && peek(1) == '/') {
      at_ += 2;
      return;
    }
  }
  fail(start, {"a comment without an end", "*/", "close the comment with */"});
}

std::string Scanner::string() {
  const Origin start = here();
  std::string value;
  for (++at_; peek() != '"'; string_piece(value)) {
    if (at_ >= text_.size() || at_line_end()) {
      fail(start, {"a string without an end", "a closing '\"' on the same line",
                   "close the string, or write line breaks as \\n"});
    }
    if (value.size() > limits().string_bytes) break;
  }
  if (value.size() > limits().string_bytes) {
    fail(start, {"a string of more than " + std::to_string(limits().string_bytes) + " bytes",
                 at_most(limits().string_bytes), "keep long texts in files of their own"});
  }
  ++at_;
  return value;
}

void Scanner::string_piece(std::string& value) {
  if (peek() == '\\') return escape(value);
  if (static_cast<unsigned char>(peek()) < 0x20) {
    fail(here(),
         {"a control character in a string", "an escape", "write it as \\t, \\n or \\u00XX"});
  }
  value += peek();
  ++at_;
}

void Scanner::escape(std::string& value) {
  const Origin start = here();
  const char c = peek(1);
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (c == 'u') {
    append_utf8(value, code_point(start));
    return;
  }
  const size_t which = c == '\0' ? std::string_view::npos : kNames.find(c);
  if (which == std::string_view::npos) {
    ++at_;
    fail(start, {"an escape of " + token(), "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
                 "write a backslash itself as \\\\"});
  }
  value += kMeanings[which];
  at_ += 2;
}

uint32_t Scanner::code_point(const Origin& start) {
  const uint32_t first = code_unit(start);
  if (first == 0) {
    fail(start, {"a NUL character", "text without NUL", "remove \\u0000"});
  }
  if (first < 0xD800 || first > 0xDFFF) return first;
  const bool pair = first < 0xDC00 && peek() == '\\' && peek(1) == 'u';
  const uint32_t second = pair ? code_unit(start) : 0;
  if (second < 0xDC00 || second > 0xDFFF) {
    fail(start, {"half of a surrogate pair", "\\uD800-\\uDBFF and then \\uDC00-\\uDFFF",
                 "write the character itself in UTF-8"});
  }
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

uint32_t Scanner::code_unit(const Origin& start) {
  const std::string_view digits = text_.substr(std::min(at_ + 2, text_.size()), 4);
  uint32_t unit = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (error != std::errc() || end != digits.data() + 4) {
    fail(start, {"\\u without four hexadecimal digits", "\\u and four digits",
                 "write \\u00e9, for example"});
  }
  at_ += 6;
  return unit;
}

Value Scanner::number(const Origin& origin) {
  const size_t start = at_;
  if (peek() == '-') ++at_;
  const bool leading_zero = peek() == '0' && is_digit(peek(1));
  bool whole = digits();
  bool real = false;
  if (whole && peek() == '.') {
    ++at_;
    real = true;
    whole = digits();
  }
  if (whole && (peek() == 'e' || peek() == 'E')) {
    at_ += peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    real = true;
    whole = digits();
  }
  if (!whole || leading_zero || is_word(peek()) || peek() == '.') bad_number(origin, start);
  const std::string_view text = text_.substr(start, at_ - start);
  return real ? real_number(text, origin) : whole_number(text, origin);
}

bool Scanner::digits() {
  const size_t start = at_;
  while (is_digit(peek())) ++at_;
  return at_ > start;
}

void Scanner::bad_number(const Origin& origin, size_t start) {
  while (is_word(peek()) || peek() == '.' || peek() == '-' || peek() == '+') ++at_;
  fail(origin, {base::quoted(text_.substr(start, at_ - start)), "a JSON number",
                "numbers look like -1, 0.5 or 1e-3; there is no hexadecimal, no leading zero, "
                "no NaN and no infinity"});
}

Value Scanner::whole_number(std::string_view text, const Origin& origin) const {
  int64_t value = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
    fail(origin, {"integer " + base::quoted(text), "-9223372036854775808 to 9223372036854775807",
                  "write a decimal point or an exponent if a rounded number will do"});
  }
  return Value(value, origin);
}

Value Scanner::real_number(std::string_view text, const Origin& origin) const {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) {
    fail(origin, {"number " + base::quoted(text), "a number that fits a double",
                  "doubles reach from about 5e-324 to 1.8e308"});
  }
  return Value(value, origin);
}

}  // namespace broch::value
