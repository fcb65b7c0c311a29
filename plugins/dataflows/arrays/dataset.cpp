// dataset.cpp: reads the files, takes the columns from them, and selects rows.
#include "arrays/dataset.hpp"

#include <numeric>

#include "arrays/diagnostic.hpp"

namespace arrays {
namespace {

std::string option_of(size_t component) { return "/components/" + std::to_string(component); }

bool same_table(const ColumnOptions& a, const ColumnOptions& b) {
  return a.file == b.file && a.has_header() == b.has_header();
}

std::vector<Wanted> wanted_of(const std::vector<ColumnOptions>& components,
                              const ColumnOptions& like) {
  std::vector<Wanted> wanted;
  for (size_t i = 0; i < components.size(); ++i)
    if (same_table(components[i], like)) {
      wanted.push_back(components[i].wanted());
      wanted.back().option = option_of(i) + "/columns";
    }
  return wanted;
}

void check_rows(const Table& table, uint64_t rows, const std::string& first_file) {
  if (table.rows() != rows)
    refuse(table.file(), std::to_string(table.rows()) + (table.rows() == 1 ? " row" : " rows"),
           std::to_string(rows) + " as in " + first_file,
           "all components of one dataflow must have the same rows");
}

}  // namespace

void check_filter(const Filter& filter, const std::string& place) {
  if (filter.offset >= filter.every)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       place + ": found offset " + std::to_string(filter.offset) +
                           ", expected less than every, which is " + std::to_string(filter.every) +
                           "; count from 0");
}

std::vector<uint64_t> select_rows(uint64_t rows, const std::vector<Filter>& filters) {
  std::vector<uint64_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), uint64_t{0});
  for (const Filter& filter : filters) {
    std::vector<uint64_t> left;
    for (uint64_t i = 0; i < chosen.size(); ++i)
      if ((i % uint64_t(filter.every) == uint64_t(filter.offset)) == filter.keep)
        left.push_back(chosen[i]);
    chosen = std::move(left);
  }
  return chosen;
}

Dataset read_dataset(const std::vector<ColumnOptions>& components,
                     const std::vector<Filter>& filters) {
  Dataset dataset;
  dataset.columns.resize(components.size());
  std::vector<bool> taken(components.size());
  uint64_t rows = 0;
  for (size_t i = 0; i < components.size(); ++i) {
    if (taken[i]) continue;
    const Table table = about(option_of(i) + "/file", [&] {
      Table read = Table::read(components[i].file, components[i].has_header(),
                               wanted_of(components, components[i]));
      check_rows(read, i == 0 ? read.rows() : rows, components[0].file);
      return read;
    });
    rows = table.rows();
    for (size_t j = i; j < components.size(); ++j) {
      if (!same_table(components[i], components[j])) continue;
      dataset.columns[j] = about(option_of(j), [&] { return take_column(table, components[j]); });
      taken[j] = true;
    }
  }
  dataset.rows = select_rows(rows, filters);
  if (dataset.rows.empty())
    about("/select", [&] {
      refuse(components[0].file, "no row left by select of " + std::to_string(rows), "at least one",
             "correct the option select");
    });
  return dataset;
}

}  // namespace arrays
