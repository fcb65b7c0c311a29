// csv_layout.cpp: the first line of the file, and the columns that the components name.
#include "files/csv_layout.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "arrays/diagnostic.hpp"

namespace files {
namespace {

using arrays::quoted;
using arrays::refuse;

[[noreturn]] void refuse_option(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

bool is_number(const std::string& word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc() && stop == end && std::isfinite(value);
}

}  // namespace

CsvLayout::CsvLayout(std::string_view text, const std::string& place, const CsvFormat& format,
                     const std::vector<CsvComponent>& components)
    : place_(place),
      format_(format),
      components_(components),
      has_missing_number_(
          std::any_of(format.missing_words.begin(), format.missing_words.end(), is_number)) {
  read_names(text);
  choose_columns();
}

void CsvLayout::read_names(std::string_view text) {
  CsvCells cells(text, format_);
  std::string store;
  for (bool last = text.empty(); !last;) {
    const CsvCells::Cell cell = cells.next(store);
    check(cell, 1, names_.size());
    names_.push_back(format_.header ? std::string(cell.text) : std::to_string(names_.size()));
    const auto [named, is_new] = named_.emplace(names_.back(), Named{names_.size() - 1});
    named->second.several |= !is_new;
    last = cell.last;
  }
  if (!format_.header) return;
  header_bytes_ = uint64_t(cells.at() - text.data());
  first_line_ += uint64_t(std::count(text.data(), cells.at(), '\n'));
}

void CsvLayout::choose_columns() {
  uses_.resize(names_.size());
  for (size_t i = 0; i < components_.size(); ++i) {
    const CsvComponent& component = components_[i];
    const std::vector<std::string>& wanted = component.columns.empty() ? names_ : component.columns;
    widths_.push_back(wanted.size());
    for (size_t j = 0; j < wanted.size(); ++j) {
      const size_t column = column_named(wanted[j], component.option);
      if (uses_[column].wanted)
        refuse_option(component.option + "/columns", "column " + quoted(wanted[j]) + " once more",
                      "each column once", "leave it out of one component");
      uses_[column] = {true, i, j * size_of(component.type)};
    }
    listed_.emplace_back();
    if (component.categories)
      for (const std::string& word : *component.categories)
        if (!listed_[i].emplace(word, int64_t(listed_[i].size())).second)
          refuse_option(component.option + "/categories", quoted(word) + " once more",
                        "each word once", "remove it, since the number of a word is its place");
  }
}

size_t CsvLayout::column_named(const std::string& name, const std::string& option) const {
  const auto named = named_.find(name);
  if (named == named_.end()) {
    std::string known;
    for (size_t i = 0; i < std::min<size_t>(names_.size(), 30); ++i)
      known += (i > 0 ? ", " : "") + quoted(names_[i]);
    const std::string found = "no column " + quoted(name) + " in " + place_;
    if (names_.empty())
      refuse_option(option + "/columns", found + ", which is empty", "a line with names, and data",
                    "name another file");
    const char* const next = !format_.header     ? "set header to true if the file has names"
                             : names_.size() > 1 ? "correct the name"
                                                 : "correct the name, or the option separator";
    refuse_option(option + "/columns", found, "one of " + known, next);
  }
  if (named->second.several)
    refuse_option(option + "/columns", "several columns " + quoted(name) + " in " + place_,
                  "one of that name", "rename them in the file");
  return named->second.first;
}

void CsvLayout::check(const CsvCells::Cell& cell, uint64_t line, size_t column) const {
  const std::string place = place_of(line, column);
  if (cell.fault == CsvCells::Fault::quote_inside)
    refuse(place, quoted(cell.text), "a quote only around a whole cell",
           "write a cell with quotes inside as \"a \"\"b\"\"\", or set the option quotes to false");
  if (cell.fault == CsvCells::Fault::quote_open)
    refuse(place, "a quoted cell that never ends", "a closing quote",
           "close the quote, or set the option quotes to false");
  if (cell.fault == CsvCells::Fault::after_quote)
    refuse(place, "text after the closing quote", "a separator or the end of the line",
           "write a quote inside a cell twice, or set the option quotes to false");
}

std::string CsvLayout::place_of(uint64_t line, size_t column) const {
  const bool named = format_.header && column < names_.size();
  return place_ + ": line " + std::to_string(line) + ", column " + std::to_string(column + 1) +
         (named ? " (" + quoted(names_[column]) + ")" : "");
}

}  // namespace files
