// output.hpp: data for stdout: JSON with a schema number for programs, tables for people.
#pragma once
#include <string>
#include <vector>

#include "value/make.hpp"

namespace broch::cli {

using value::integer;
using value::list;
using value::number;
using value::number_or_nan;
using value::numbers;
using value::object;
using value::text;
using value::text_or_null;
using value::Value;

inline constexpr int64_t kJsonSchema = 1;  // increased when a member changes its meaning

// For example "2026-01-31 14:05:00", in local time.
std::string time_text(double wall_seconds);

// Prints strict JSON: {"schema": 1, members of data}.
void print_json(const Value& data);
// The same in one line, flushed immediately: for output that arrives piece by piece.
void print_json_line(const Value& data);

// Breaks the text at spaces into lines of at most width characters. A longer word is not broken.
// Returns at least one line.
std::vector<std::string> wrapped(const std::string& text, size_t width);

// Each column is as wide as its widest cell; two spaces between columns. The first row is the
// header.
class Table {
 public:
  static constexpr size_t kWidth = 100;

  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print() const;
  // The same in lines of at most kWidth characters: the last column is wrapped.
  void print_wrapped() const;

 private:
  std::vector<size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;  // of equal length
};

}  // namespace broch::cli
