// output.cpp: printing JSON and tables.
#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "manifest/json.hpp"

namespace broch::cli {
namespace {

size_t width_of(const std::string& utf8) {
  return size_t(
      std::count_if(utf8.begin(), utf8.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

Value object(std::initializer_list<std::pair<const char*, Value>> members) {
  Value value{Value::Object{}};
  for (const auto& [key, member] : members) value.set(key, member);
  return value;
}

Value list(const std::vector<std::string>& texts) {
  Value::Array array;
  for (const std::string& one : texts) array.emplace_back(one);
  return Value(std::move(array));
}

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(); }

void print_json(const Value& data) {
  Value whole = object({{"schema", integer(kJsonSchema)}});
  for (const manifest::Member& member : data.object()) whole.set(member.key, member.value);
  std::cout << manifest::to_pretty_text(whole);
}

void Table::print() const {
  std::vector<size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    std::cout << line << '\n';
  }
}

}  // namespace broch::cli
