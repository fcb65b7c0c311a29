// csv_writer.cpp: all scalars of a run as a table, stats.csv, with one row per record and one
// column per name. The format: https://www.rfc-editor.org/rfc/rfc4180, with "\n" as line end.
//
// A name that comes later becomes a further column; the rows before it are empty there. The file is
// always replaced as a whole.
#include <algorithm>
#include <cmath>

#include "record_file.hpp"

namespace {

using broch::monitors::Json;

struct Options {
  std::string filename;

  static constexpr auto schema = broch::options(
      broch::option("filename", &Options::filename, "Name of the file in the log folder.")
          .pattern("^[^/]+$")
          .by_default("stats.csv"));
};

std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == field.npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

// Reads a field, and the separator after it. at: where it begins, then where the next one does.
std::string next_field(const std::string& text, size_t& at) {
  std::string field;
  bool inside = false;  // quotes
  for (; at < text.size() && (inside || (text[at] != ',' && text[at] != '\n')); ++at) {
    if (text[at] != '"')
      field += text[at];
    else if (inside && at + 1 < text.size() && text[at + 1] == '"')
      field += text[++at];
    else
      inside = !inside;
  }
  ++at;
  return field;
}

// Of a row, whose fields are numbers.
size_t separators(const std::string& row) { return size_t(std::ranges::count(row, ',')); }

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return Json(value).dump();
}

class CsvWriter final : public broch::monitors::RecordFile {
 public:
  CsvWriter(const broch::Host& host, const Options& options) : RecordFile(host, options.filename) {}

 private:
  // The row, as far as there were columns by then.
  std::string encoded(const Json& record) override {
    for (const auto& [name, value] : record.items())
      if (std::ranges::find(columns_, name) == columns_.end()) columns_.push_back(name);
    std::string row;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto field = record.find(columns_[i]);
      if (i > 0) row += ',';
      if (field == record.end()) continue;
      row += field->is_number_float() ? number(field->get<double>()) : field->dump();
    }
    return row;
  }

  std::optional<Records> decoded(const std::string& text) override {
    std::vector<std::string> columns;
    size_t at = 0;
    do columns.push_back(next_field(text, at));
    while (at < text.size() && text[at - 1] != '\n');
    if (columns.size() < 2 || columns[0] != "epoch_num" || columns[1] != "global_step")
      return std::nullopt;
    Records rows;
    for (size_t end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
      rows.push_back(text.substr(at, end - at));
      if (separators(rows.back()) >= columns.size()) return std::nullopt;
    }
    columns_ = std::move(columns);
    return rows;
  }

  std::optional<int64_t> epoch_of(const std::string& row) override {
    size_t at = 0;
    const std::string epoch = next_field(row, at);
    if (epoch.empty() || epoch.find_first_not_of("0123456789") != epoch.npos) return std::nullopt;
    return std::stoll(epoch);
  }

  void store(const Records& rows, size_t) override {
    std::string text;
    for (size_t i = 0; i < columns_.size(); ++i) text += (i ? "," : "") + csv_field(columns_[i]);
    text += '\n';
    for (const std::string& row : rows)
      text += row + std::string(columns_.size() - 1 - separators(row), ',') + '\n';
    replace(text);
  }

  std::vector<std::string> columns_{"epoch_num", "global_step"};
};

}  // namespace

BROCH_MONITOR(CsvWriter, "broch.monitor.csv-writer", "1.0.0",
              "Writes all scalars of a run into stats.csv, one column per name.", Options::schema)
