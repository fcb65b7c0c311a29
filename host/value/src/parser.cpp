// parser.cpp: recursive descent over JSON text: RFC 8259 plus comments and trailing commas.
#include <cstdlib>
#include <unordered_set>

#include "base/text.hpp"
#include "scanner.hpp"

namespace broch::value {
namespace {

class Parser : private Scanner {
 public:
  Parser(std::shared_ptr<const Source> source, const Dialect& dialect)
      : Scanner(std::move(source), dialect) {}

  Value document() {
    check_text();
    Value value = next_value();
    skip_space();
    if (at_ < text_.size()) {
      fail(here(), {token() + " after the end of the value", "nothing more",
                    "a file holds one value; remove what follows it"});
    }
    return value;
  }

 private:
  Value next_value() {
    skip_space();
    const Origin origin = here();
    if (++nodes_ > limits().nodes) {
      fail(origin,
           {"more than " + std::to_string(limits().nodes) + " values", at_most(limits().nodes),
            "keep bulk data in files of its own and name them here"});
    }
    const char c = peek();
    if (c == '{') return nested(origin, &Parser::object);
    if (c == '[') return nested(origin, &Parser::array);
    if (c == '"') return Value(string(), origin);
    if (c == '-' || is_digit(c)) return number(origin);
    return literal(origin);
  }

  Value nested(const Origin& origin, Value (Parser::*rest)(const Origin&)) {
    if (++depth_ > limits().depth) {
      fail(origin, {"more than " + std::to_string(limits().depth) + " levels",
                    at_most(limits().depth), "nest less deeply"});
    }
    ++at_;
    Value value = (this->*rest)(origin);
    --depth_;
    return value;
  }

  Value object(const Origin& origin) {
    Value::Object members;
    std::unordered_set<std::string> seen;
    while (!closed('}', origin, !members.empty())) {
      Member member = next_key();
      const size_t parent = pointer_.size();
      append_to_pointer(pointer_, member.key);
      if (!seen.insert(member.key).second) refuse_duplicate(member, members);
      expect_colon();
      member.value = next_value();
      pointer_.resize(parent);
      members.push_back(std::move(member));
    }
    return Value(std::move(members), origin);
  }

  Value array(const Origin& origin) {
    Value::Array items;
    while (!closed(']', origin, !items.empty())) {
      const size_t parent = pointer_.size();
      append_to_pointer(pointer_, std::to_string(items.size()));
      items.push_back(next_value());
      pointer_.resize(parent);
    }
    return Value(std::move(items), origin);
  }

  // Returns true at the closing bracket. Otherwise an entry follows, after a comma if it is not
  // the first one.
  bool closed(char bracket, const Origin& opened, bool after_entry) {
    skip_space();
    bool comma = false;
    if (after_entry && peek() == ',') {
      ++at_;
      skip_space();
      comma = true;
    }
    if (peek() == bracket) {
      if (comma && !dialect_.relaxed) {
        fail(here(), {"a comma before the end", "strict JSON", "remove the comma"});
      }
      ++at_;
      return true;
    }
    const std::string end = std::string("'") + bracket + "'";
    if (at_ >= text_.size()) {
      fail(here(), {"the end of the text", end + " for the bracket opened at " + opened.text(),
                    "close the bracket; perhaps the file was cut short"});
    }
    if (after_entry && !comma) {
      fail(here(), {token(), "a comma or " + end, "put a comma between the entries"});
    }
    return false;
  }

  Member next_key() {
    const Origin origin = here();
    if (peek() != '"') {
      fail(origin, {token(), "a key in double quotes", "write keys as \"name\""});
    }
    return {string(), origin, {}};
  }

  void expect_colon() {
    skip_space();
    if (peek() != ':') {
      fail(here(), {token(), "':' after the key", "write \"key\": value"});
    }
    ++at_;
  }

  [[noreturn]] void refuse_duplicate(const Member& member, const Value::Object& members) const {
    for (const Member& first : members) {
      if (first.key != member.key) continue;
      fail(member.origin, {"key " + base::quoted(member.key) + " a second time",
                           "each key once (the first is at " + first.origin.text() + ")",
                           "remove one of the two"});
    }
    std::abort();  // the set contains only keys of members
  }

  Value literal(const Origin& origin) {
    size_t size = 0;
    while (is_word(peek(size))) ++size;
    const std::string_view word = text_.substr(std::min(at_, text_.size()), size);
    at_ += size;
    if (word == "null") return Value(Value::Data(), origin);
    if (word == "true") return Value(true, origin);
    if (word == "false") return Value(false, origin);
    at_ -= size;
    fail(origin, {token(), "a value", literal_hint(word)});
  }

  std::string literal_hint(std::string_view word) const {
    if (peek() == '\'') return "write strings in double quotes";
    if (peek() == '+' || peek() == '.') return "numbers start with a digit or '-'";
    if (word == "True" || word == "False") return "write true or false";
    if (word == "None" || word == "nil" || word == "undefined") return "write null";
    if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf") {
      return "JSON has no such number";
    }
    if (!word.empty()) return "write strings in double quotes: \"" + std::string(word) + "\"";
    return "a value is null, true, false, a number, a \"string\", a [list] or an {object}";
  }

  size_t nodes_ = 0;
  size_t depth_ = 0;
};

}  // namespace

Value parse(std::shared_ptr<const Source> source, const Dialect& dialect) {
  return Parser(std::move(source), dialect).document();
}

Value parse_text(std::string name, std::string text, const Dialect& dialect) {
  return parse(
      std::make_shared<const Source>(Source{std::move(name), working_directory(), std::move(text)}),
      dialect);
}

}  // namespace broch::value
