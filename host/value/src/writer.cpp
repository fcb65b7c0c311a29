// writer.cpp: writes values as strict JSON.
#include <cassert>
#include <cmath>

#include "base/text.hpp"
#include "value/json.hpp"

namespace broch::value {
namespace {

class Writer {
 public:
  explicit Writer(bool pretty) : pretty_(pretty) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::null:
        text_ += "null";
        break;
      case Value::Kind::boolean:
        text_ += value.boolean() ? "true" : "false";
        break;
      case Value::Kind::integer:
        text_ += std::to_string(value.integer());
        break;
      case Value::Kind::real:
        write_real(value.number());
        break;
      case Value::Kind::string:
        write_string(value.string());
        break;
      case Value::Kind::array:
        write_array(value.array());
        break;
      case Value::Kind::object:
        write_object(value.object());
        break;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void write_real(double value) {
    assert(std::isfinite(value) && "the parser makes no other and JSON has no other");
    const std::string digits = base::shortest(value);
    text_ += digits;
    if (digits.find_first_of(".e") == std::string::npos) text_ += ".0";
  }

  void write_string(const std::string& value) {
    text_ += '"';
    for (const char c : value) write_character(c);
    text_ += '"';
  }

  void write_character(char c) {
    constexpr char kHex[] = "0123456789abcdef";
    switch (c) {
      case '"':
        text_ += "\\\"";
        return;
      case '\\':
        text_ += "\\\\";
        return;
      case '\n':
        text_ += "\\n";
        return;
      case '\r':
        text_ += "\\r";
        return;
      case '\t':
        text_ += "\\t";
        return;
      default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      text_ += std::string("\\u00") + kHex[byte >> 4] + kHex[byte & 15];
    } else {
      text_ += c;
    }
  }

  void write_array(const Value::Array& items) {
    open('[');
    for (const Value& item : items) {
      next_entry();
      write(item);
    }
    close(']', items.empty());
  }

  void write_object(const Value::Object& members) {
    open('{');
    for (const Member& member : members) {
      next_entry();
      write_string(member.key);
      text_ += pretty_ ? ": " : ":";
      write(member.value);
    }
    close('}', members.empty());
  }

  void open(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }

  void next_entry() {
    if (!first_) text_ += ',';
    first_ = false;
    new_line();
  }

  void close(char bracket, bool empty) {
    --depth_;
    if (!empty) new_line();
    text_ += bracket;
    first_ = false;
  }

  void new_line() {
    if (pretty_) text_ += '\n' + std::string(2 * depth_, ' ');
  }

  const bool pretty_;
  std::string text_;
  size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace

std::string to_text(const Value& value) {
  Writer writer(false);
  writer.write(value);
  return writer.take();
}

std::string to_pretty_text(const Value& value) {
  Writer writer(true);
  writer.write(value);
  return writer.take() + "\n";
}

}  // namespace broch::value
