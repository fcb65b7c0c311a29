// output.cpp: prints JSON and tables.
#include "output.hpp"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <sstream>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

using base::characters_in;

constexpr size_t kNarrowest = 24;  // to which a column is wrapped

Value with_schema(const Value& data) {
  Value whole = object({{"schema", integer(kJsonSchema)}});
  for (const value::Member& member : data.object()) whole.set(member.key, member.value);
  return whole;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.back().empty() && characters_in(lines.back()) + 1 + characters_in(word) > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string time_text(double wall_seconds) {
  const std::time_t time = std::time_t(wall_seconds);
  std::tm parts{};
  localtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

// Names of files may be any bytes, but JSON is UTF-8.
void print_json(const Value& data) {
  std::cout << base::to_utf8(value::to_pretty_text(with_schema(data)));
}

void print_json_line(const Value& data) {
  std::cout << base::to_utf8(value::to_text(with_schema(data))) << std::endl;
}

std::vector<size_t> Table::widths() const {
  std::vector<size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], characters_in(row[i]));
  return widths;
}

void Table::print() const {
  const std::vector<size_t> widths = this->widths();
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - characters_in(row[i]) + 2, ' ');
    }
    std::cout << line << '\n';
  }
}

void Table::print_wrapped() const {
  const std::vector<size_t> widths = this->widths();
  size_t indent = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) indent += widths[i] + 2;
  const size_t room = kWidth - std::min(indent, kWidth - kNarrowest);
  Table lines(rows_.front());
  lines.rows_.clear();
  for (const auto& row : rows_) {
    std::vector<std::string> cells = row;
    for (const std::string& part : wrapped(row.back(), room)) {
      cells.back() = part;
      lines.add(cells);
      cells.assign(cells.size(), "");
    }
  }
  lines.print();
}

}  // namespace broch::cli
