// constant_text.hpp: JSON that the compiler writes. The metadata of a plugin has to be a constant
// in the file, since the host reads it without running the plugin (entry.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace broch {
inline namespace v0 {
namespace glue {

// A text of N - 1 characters, laid out like the string literal.
template <size_t N>
struct Text {
  char chars[N] = {};
};

// A number, a truth value, a text, null, or nothing.
struct Value {
  enum class Kind { nothing, null, boolean, integer, real, text };
  Kind kind = Kind::nothing;
  int64_t integer = 0;
  double real = 0;
  const char* text = nullptr;

  constexpr Value() = default;
  constexpr explicit Value(std::nullptr_t) : kind(Kind::null) {}
  constexpr explicit Value(const char* value)
      : kind(value ? Kind::text : Kind::null), text(value) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  constexpr explicit Value(T value)
      : kind(std::is_same_v<T, bool>       ? Kind::boolean
             : std::is_floating_point_v<T> ? Kind::real
                                           : Kind::integer),
        integer(std::is_floating_point_v<T> ? 0 : static_cast<int64_t>(value)),
        real(static_cast<double>(value)) {}
  constexpr explicit operator bool() const { return kind != Kind::nothing; }
};

// Writes a text, or only counts its characters if there is no place to write to.
class TextWriter {
 public:
  constexpr explicit TextWriter(char* to = nullptr) : to_(to) {}
  constexpr size_t size() const { return size_; }

  constexpr void raw(const char* text) {
    for (; *text; ++text) put(*text);
  }
  constexpr void open(char bracket) { put(bracket); }
  constexpr void close(char bracket) { put(bracket); }
  // The comma before the next element or member, unless it is the first.
  constexpr void next() {
    if (last_ != '{' && last_ != '[') raw(", ");
  }
  constexpr void key(const char* name) {
    next();
    quoted(name);
    raw(": ");
  }
  template <class T>
  constexpr void value(const T& of) {
    const Value value(of);
    switch (value.kind) {
      case Value::Kind::boolean:
        return raw(value.integer ? "true" : "false");
      case Value::Kind::integer:
        return integer(value.integer);
      case Value::Kind::real:
        return real(value.real);
      case Value::Kind::text:
        return quoted(value.text);
      default:
        return raw("null");
    }
  }
  // Writes nothing if there is no value.
  template <class T>
  constexpr void member(const char* name, const T& of) {
    if (!Value(of)) return;
    key(name);
    value(of);
  }

 private:
  constexpr void put(char c) {
    if (to_) to_[size_] = c;
    ++size_;
    last_ = c;
  }

  constexpr void quoted(const char* text) {
    constexpr const char* kHex = "0123456789abcdef";
    put('"');
    for (; *text; ++text) {
      const unsigned char c = static_cast<unsigned char>(*text);
      if (c < ' ') {
        raw("\\u00");
        put(kHex[c >> 4]);
        put(kHex[c & 15]);
        continue;
      }
      if (c == '"' || c == '\\') put('\\');
      put(*text);
    }
    put('"');
  }

  constexpr void digits(uint64_t value) {
    if (value > 9) digits(value / 10);
    put(static_cast<char>('0' + value % 10));
  }
  constexpr void integer(int64_t value) {
    if (value < 0) put('-');
    digits(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
  }

  // The shortest "WHOLEe-K" or "WHOLEeK" that reads back as the same number. WHOLE below 2^53 and a
  // power of ten up to 10^22 are exact in a double, and their quotient or product is rounded once,
  // as a reader rounds it (Clinger 1990).
  constexpr void real(double value) {
    constexpr double kExact = 9007199254740992;  // 2^53
    constexpr int kPowers = 22;
    if (value < 0) put('-');
    const double size = value < 0 ? -value : value;
    if (size < kExact && static_cast<double>(static_cast<uint64_t>(size)) == size)
      return digits(static_cast<uint64_t>(size));
    double power = 10;
    for (int k = 1; k <= kPowers; ++k, power *= 10) {
      const double scaled = size * power + 0.5;
      if (scaled >= kExact) break;
      const uint64_t whole = static_cast<uint64_t>(scaled);
      if (static_cast<double>(whole) / power == size) return decimal(whole, k);
    }
    power = 1e22;
    for (int k = kPowers; k > 0; --k, power /= 10) {
      const double scaled = size / power + 0.5;
      if (scaled >= kExact) break;
      const uint64_t whole = static_cast<uint64_t>(scaled);
      if (static_cast<double>(whole) * power != size) continue;
      digits(whole);
      put('e');
      return integer(k);
    }
    throw "a number with more than 15 digits or a large exponent: write the schema as text";
  }

  // whole / 10^places: 25 and 3 are 0.025.
  constexpr void decimal(uint64_t whole, int places) {
    constexpr int kLongest = 8;
    if (places > kLongest) {
      digits(whole);
      raw("e-");
      return integer(places);
    }
    uint64_t power = 1;
    for (int k = 0; k < places; ++k) power *= 10;
    digits(whole / power);
    put('.');
    for (whole %= power; power > 1; whole %= power) {
      power /= 10;
      put(static_cast<char>('0' + whole / power));
    }
  }

  char* to_;
  size_t size_ = 0;
  char last_ = '{';
};

// What Source::write(writer) writes, as a constant.
template <class Source>
constexpr auto constant_text() {
  constexpr size_t kSize = [] {
    TextWriter counter;
    Source::write(counter);
    return counter.size();
  }();
  Text<kSize + 1> text;
  TextWriter writer(text.chars);
  Source::write(writer);
  return text;
}

}  // namespace glue
}  // namespace v0
}  // namespace broch
