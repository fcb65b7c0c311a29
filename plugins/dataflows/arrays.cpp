// arrays.cpp: one data point per row of arrays in .npy files or of columns of a .csv file.
//
// The cursor of a data point is the number of its row in the files.
#include <algorithm>
#include <broch/broch.hpp>
#include <charconv>
#include <new>

#include "arrays/dataset.hpp"

namespace {

using arrays::ColumnOptions;

arrays::Element element_named(const std::string& name) {
  for (const arrays::ElementFacts& known : arrays::kElements)
    if (name == known.name) return known.element;
  throw broch::Error(BROCH_E_INVALID_ARGUMENT, "unknown dtype '" + name + "'");
}

// A single name (not in a list) gives a scalar, unless the option shape says otherwise.
void read_columns(const broch::Config& config, const std::string& at, ColumnOptions& options) {
  const std::string columns = at + "/columns";
  if (!config.has(columns)) return;
  const bool is_one = config.kind(columns) == BROCH_CONFIG_STRING;
  if (is_one || config.kind(columns + "/0") == BROCH_CONFIG_STRING)
    options.names = config.strings(columns);
  else
    options.columns = config.integers(columns);
  if (is_one) options.shape.emplace();
}

ColumnOptions component_at(const broch::Config& config, const std::string& at) {
  ColumnOptions options;
  options.file = config.string(at + "/file");
  options.header = config.boolean(at + "/header");
  read_columns(config, at, options);
  if (config.has(at + "/shape")) options.shape = config.integers(at + "/shape");
  if (config.has(at + "/dtype")) options.element = element_named(config.string(at + "/dtype"));
  options.scale = config.number(at + "/scale");
  options.missing = config.string(at + "/missing") == "nan";
  if (config.has(at + "/name")) options.name = config.string(at + "/name");
  return options;
}

class Arrays final : public broch::DataFlow {
 public:
  explicit Arrays(const broch::Host& host) {
    const broch::Config config(host);
    for (uint64_t i = 0, n = config.size("/components"); i < n; ++i) {
      const std::string at = "/components/" + std::to_string(i);
      components_.push_back(component_at(config, at));
      check_options(components_.back(), at);
    }
    for (uint64_t i = 0, n = config.size("/select"); i < n; ++i) {
      const std::string at = "/select/" + std::to_string(i);
      filters_.push_back({config.integer(at + "/every"), config.integer(at + "/offset"),
                          config.boolean(at + "/keep")});
      check_filter(filters_.back(), at);
    }
  }

  void reset_state() override { load(); }

  void open(const std::string& cursor) override {
    load();
    position_ = 0;
    if (cursor.empty()) return;
    uint64_t row = 0;
    const char* const end = cursor.data() + cursor.size();
    const auto [stop, error] = std::from_chars(cursor.data(), end, row);
    if (error != std::errc() || stop != end)
      throw broch::Error(BROCH_E_DATA_LOSS, "'" + cursor + "' is no cursor of arrays");
    const std::vector<uint64_t>& rows = dataset_.rows;
    position_ = size_t(std::upper_bound(rows.begin(), rows.end(), row) - rows.begin());
  }

  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    if (position_ >= dataset_.rows.size()) return false;
    const uint64_t row = dataset_.rows[position_++];
    for (size_t i = 0; i < components_.size(); ++i) {
      arrays::Column& column = dataset_.columns[i];
      point.add(
          broch::dl_view(column.bytes.data() + row * column.row_bytes, facts(column.element).dl,
                         column.shape.data(), int32_t(column.shape.size())),
          components_[i].name.empty() ? nullptr : components_[i].name.c_str());
    }
    point.set_cursor(std::to_string(row));
    return true;
  }

  std::optional<int64_t> size() override {
    load();
    return int64_t(dataset_.rows.size());
  }

 private:
  // Not called in the constructor, which has to be quick.
  void load() {
    if (!dataset_.rows.empty()) return;
    try {
      dataset_ = arrays::read_dataset(components_, filters_);
    } catch (const std::bad_alloc&) {
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                         components_[0].file +
                             ": the arrays do not fit into memory; choose a "
                             "smaller dtype or a dataflow that reads in pieces");
    }
  }

  std::vector<ColumnOptions> components_;
  std::vector<arrays::Filter> filters_;
  arrays::Dataset dataset_;  // without rows until it is loaded
  size_t position_ = 0;      // index in dataset_.rows
};

}  // namespace

BROCH_DATAFLOW(Arrays, "broch.dataflow.arrays", "1.0.0",
               "One point for each row of arrays in .npy files or of columns of a .csv file.", R"({
  "type": "object",
  "properties": {
    "components": {
      "type": "array", "minItems": 1, "description": "What a point is made of, in the order of the model's inputs.",
      "items": {
        "type": "object",
        "properties": {
          "file": {"type": "string", "minLength": 1, "x-broch-path": true,
                   "description": "A .npy file (little-endian, C order; rows along its first dimension) or a .csv file of numbers."},
          "columns": {"anyOf": [{"type": "null"}, {"type": "string", "minLength": 1},
                                {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
                                {"type": "array", "items": {"type": "integer", "minimum": 0},
                                 "minItems": 2, "maxItems": 2}],
                      "default": null,
                      "description": "Of a .csv file: names in its first line (one name without a list is a scalar), or [first, count], counted from 0; null: all. Columns that no component names are not read and may hold text."},
          "header": {"type": "boolean", "default": false,
                     "description": "Whether the first line of a .csv file names the columns; with names in columns it does anyway."},
          "shape": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 1},
                    "maxItems": 8, "default": null,
                    "description": "Of one point, [] for a scalar; null: that of a row in the file."},
          "dtype": {"enum": [null, "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"],
                    "default": null, "description": "Of one point; null: float32 from a .csv file, else that of the file."},
          "scale": {"type": "number", "default": 1,
                    "description": "Each value is multiplied by it; floating dtypes only."},
          "missing": {"enum": ["refuse", "nan"], "default": "refuse",
                      "description": "What an empty cell or NaN is: an error, or NaN in a floating dtype."},
          "name": {"type": ["string", "null"], "minLength": 1, "default": null,
                   "description": "Of the input; null: by place."}
        },
        "required": ["file"],
        "additionalProperties": false
      }
    },
    "select": {
      "type": "array", "default": [],
      "description": "Filters, each applied to the rows that the ones before it left.",
      "items": {
        "type": "object",
        "properties": {
          "every": {"type": "integer", "minimum": 1, "description": "Rows of one group."},
          "offset": {"type": "integer", "minimum": 0, "default": 0,
                     "description": "The row of each group that is meant, counted from 0."},
          "keep": {"type": "boolean", "default": true,
                   "description": "true: only that row stays; false: only that row goes."}
        },
        "required": ["every"],
        "additionalProperties": false
      }
    }
  },
  "required": ["components"],
  "additionalProperties": false
})")
