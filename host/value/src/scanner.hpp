// scanner.hpp: the tokens of JSON text: space, comments, strings and numbers, with their
// positions.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::value {

class Scanner {
 protected:
  Scanner(std::shared_ptr<const Source> source, const Dialect& dialect)
      : source_(std::move(source)), dialect_(dialect), text_(source_->text) {}

  // Checks size and UTF-8. Skips a byte order mark, which some editors write.
  void check_text();
  void skip_space();  // and comments
  std::string string();
  Value number(const Origin& origin);

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c);
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // The next token, for a message.
  std::string token() const;
  // The position of the next character. Counts from where the last call ended, so that a file with
  // one long line is not counted again for each value.
  Origin here();

  const Limits& limits() const { return dialect_.limits; }
  static std::string at_most(size_t limit) { return "at most " + std::to_string(limit); }
  [[noreturn]] void fail(const Origin& origin, const Remark& remark) const {
    throw fault_at(origin, pointer_, remark, dialect_.exit);
  }

  const std::shared_ptr<const Source> source_;
  const Dialect dialect_;
  const std::string_view text_;
  size_t at_ = 0;        // index of the next character
  std::string pointer_;  // of the value being read

 private:
  void require_utf8();
  bool at_line_end() const { return peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }
  void new_line();
  void skip_comment();
  void skip_block_comment(const Origin& start);
  void string_piece(std::string& value);
  void escape(std::string& value);
  uint32_t code_point(const Origin& start);
  uint32_t code_unit(const Origin& start);
  bool digits();
  [[noreturn]] void bad_number(const Origin& origin, size_t start);
  Value whole_number(std::string_view text, const Origin& origin) const;
  Value real_number(std::string_view text, const Origin& origin) const;

  int line_ = 1;
  int column_ = 1;  // of the character at counted_
  size_t counted_ = 0;
};

}  // namespace broch::value
