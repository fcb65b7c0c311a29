// output.hpp: data for stdout: JSON with a schema number, and tables for people.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "manifest/value.hpp"

namespace broch::cli {

using manifest::Value;

inline constexpr int64_t kJsonSchema = 1;  // raised when a member changes its meaning

Value object(std::initializer_list<std::pair<const char*, Value>> members);
Value list(const std::vector<std::string>& texts);
inline Value text(std::string value) { return Value(std::move(value)); }
inline Value integer(int64_t value) { return Value(value); }
Value number(double value);                // null when it is not finite …
double number_or_nan(const Value& value);  // … and back

// "2026-01-31 14:05:00", local time.
std::string time_text(double wall_seconds);
// When a file was last written, as seconds since 1970-01-01 UTC; 0: there is none.
double modified_at(const std::filesystem::path& file);

// Strict JSON on stdout: {"schema": 1, members of data}.
void print_json(const Value& data);
// The same as a line of its own, at once: for what comes one by one.
void print_json_line(const Value& data);

// Characters of a text.
size_t width_of(const std::string& utf8);
// Lines of at most so many characters, broken at spaces; a longer word stays whole. At least one.
std::vector<std::string> wrapped(const std::string& text, size_t width);

// Columns as wide as their widest cell, two spaces between them. The first row is the header.
class Table {
 public:
  static constexpr size_t kWidth = 100;

  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print() const;
  // The same in lines of at most kWidth characters: the last column goes on below itself.
  void print_wrapped() const;

 private:
  std::vector<size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;  // equally long
};

}  // namespace broch::cli
