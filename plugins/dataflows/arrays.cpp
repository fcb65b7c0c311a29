// arrays.cpp: one data point per row of arrays in .npy files or of columns of a .csv file.
#include <broch/broch.hpp>
#include <mutex>
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

class Arrays final : public broch::Indexed {
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
  std::optional<int64_t> size() override {
    load();
    return int64_t(dataset_.rows.size());
  }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= dataset_.rows.size()) return false;
    const uint64_t row = dataset_.rows[position.index];
    for (size_t i = 0; i < components_.size(); ++i) {
      arrays::Column& column = dataset_.columns[i];
      point.add(
          broch::dl_view(column.bytes.data() + row * column.row_bytes, facts(column.element).dl,
                         column.shape.data(), int32_t(column.shape.size())),
          components_[i].name.empty() ? nullptr : components_[i].name.c_str());
    }
    return true;
  }

 private:
  // Not called in the constructor, which has to be quick.
  void load() {
    std::lock_guard<std::mutex> lock(loading_);
    if (!dataset_.rows.empty()) return;
    try {
      dataset_ = arrays::read_dataset(components_, filters_);
    } catch (const std::bad_alloc&) {
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED,
                         components_[0].file +
                             ": the arrays do not fit into memory; choose a smaller dtype, or the "
                             "dataflow npy, which leaves the data on disk");
    }
  }

  std::vector<ColumnOptions> components_;
  std::vector<arrays::Filter> filters_;
  std::mutex loading_;
  arrays::Dataset dataset_;  // without rows until it is loaded
};

}  // namespace

BROCH_DATAFLOW(
    Arrays, "broch.dataflow.arrays", "1.1.0",
    "Yields one data point per row of arrays in .npy files or of columns in a .csv file.", R"({
  "type": "object",
  "properties": {
    "components": {
      "type": "array", "minItems": 1, "description": "The components of a data point, in the order of the model's inputs.",
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
                      "description": "For a .csv file: column names from its first line (a single name without a list gives a scalar), or [first, count], counted from 0; null: all columns. Columns that are not used are not read and may contain text."},
          "header": {"type": "boolean", "default": false,
                     "description": "Whether the first line of a .csv file contains column names; assumed if columns lists names."},
          "shape": {"type": ["array", "null"], "items": {"type": "integer", "minimum": 1},
                    "maxItems": 8, "default": null,
                    "description": "Shape in a data point, [] for a scalar; null: the shape of a row in the file."},
          "dtype": {"enum": [null, "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"],
                    "default": null, "description": "The dtype in a data point; null: float32 for a .csv file, otherwise the dtype of the file."},
          "scale": {"type": "number", "default": 1,
                    "description": "Factor for each value; only for floating dtypes."},
          "missing": {"enum": ["refuse", "nan"], "default": "refuse",
                      "description": "How to treat an empty cell or NaN: as an error, or as NaN, which needs a floating dtype."},
          "name": {"type": ["string", "null"], "minLength": 1, "default": null,
                   "description": "Name of the model's input; null: inputs are matched by order."}
        },
        "required": ["file"],
        "additionalProperties": false
      }
    },
    "select": {
      "type": "array", "default": [],
      "description": "Filters; each applies to the rows that the previous filters kept.",
      "items": {
        "type": "object",
        "properties": {
          "every": {"type": "integer", "minimum": 1, "description": "Number of rows in a group."},
          "offset": {"type": "integer", "minimum": 0, "default": 0,
                     "description": "The row within each group, counted from 0."},
          "keep": {"type": "boolean", "default": true,
                   "description": "true: keep only that row of each group; false: remove only that row."}
        },
        "required": ["every"],
        "additionalProperties": false
      }
    }
  },
  "required": ["components"],
  "additionalProperties": false
})")
