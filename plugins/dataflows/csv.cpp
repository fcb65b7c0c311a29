// csv.cpp: one data point per line of a .csv file, whose columns are read into memory once.
#include "files/csv.hpp"

#include <broch/broch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "files/content.hpp"

namespace {

enum class Missing { refuse, drop, fill, nan };

struct Component {
  std::vector<std::string> columns;
  std::optional<std::vector<std::string>> categories;
  std::optional<int64_t> unknown;
  files::CsvType dtype;
  Missing missing;
  std::optional<double> fill;
  bool scalar;
  std::optional<std::string> name;

  static constexpr auto schema = broch::options(
      broch::option("columns", &Component::columns,
                    "Names of the columns; []: all columns. Without a header line, the names are "
                    "\"0\", \"1\", ….")
          .by_default(),
      broch::option(
          "dtype", &Component::dtype,
          "The dtype in a data point; category: words, as their index (int64) in categories.")
          .one_of("float32", "float64", "int64", "category")
          .by_default("float32"),
      broch::option("categories", &Component::categories,
                    "For the dtype category: the words, in the order of their numbers; null: all "
                    "words in the file, sorted."),
      broch::option("unknown", &Component::unknown,
                    "With a list of categories: the number of every word that is not in it, for "
                    "example the number of categories; null: such a word is an error.")
          .minimum(0),
      broch::option("missing", &Component::missing,
                    "What to do with a cell without a value: refuse: an error; drop: leave out the "
                    "row; fill: use the value of fill; nan: NaN, for a floating dtype.")
          .one_of("refuse", "drop", "fill", "nan")
          .by_default("refuse"),
      broch::option("fill", &Component::fill,
                    "The value to use with missing fill, which needs it; for a category, the "
                    "number to use."),
      broch::option(
          "scalar", &Component::scalar,
          "For a single column: whether to yield a scalar instead of a vector of one element.")
          .by_default(false),
      broch::option("name", &Component::name,
                    "Name of the model's input; null: inputs are matched by order.")
          .min_length(1));
};

struct Options {
  std::string file, separator;
  bool quotes, header;
  std::vector<std::string> missing_words;
  std::vector<Component> components;
  unsigned threads;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "A .csv file in the format of RFC 4180.")
          .min_length(1)
          .is_path(),
      broch::option("components", &Options::components,
                    "The components of a data point, in the order of the model's inputs.")
          .min_items(1),
      broch::option("separator", &Options::separator, "The character between two cells.")
          .min_length(1)
          .max_length(1)
          .by_default(","),
      broch::option("quotes", &Options::quotes,
                    "Whether cells may be in quotes; false: a quote is a character like others, as "
                    "in many files with tabs.")
          .by_default(true),
      broch::option("header", &Options::header, "Whether the first line contains column names.")
          .by_default(true),
      broch::option(
          "missing_words", &Options::missing_words,
          "The contents of cells that count as missing; blanks around them do not matter.")
          .by_default("", "NA", "NaN", "nan", "null"),
      broch::option("threads", &Options::threads,
                    "Number of threads that read the file; 0: one per processor. The result does "
                    "not depend on it.")
          .maximum(1024)
          .by_default(0));
};

broch_dl_type type_of(files::CsvType type) {
  if (type == files::CsvType::float32) return {BROCH_DL_FLOAT, 32, 1};
  if (type == files::CsvType::float64) return {BROCH_DL_FLOAT, 64, 1};
  return {BROCH_DL_INT, 64, 1};
}

[[noreturn]] void refuse_option(const std::string& message) {
  throw broch::Error(BROCH_E_INVALID_ARGUMENT, message);
}

bool is_floating(files::CsvType type) {
  return type == files::CsvType::float32 || type == files::CsvType::float64;
}

// Nothing is put into a cell that the user has not named.
void check_missing(const Component& component, const std::string& place) {
  const bool fills = component.missing == Missing::fill;
  const bool category = component.dtype == files::CsvType::category;
  if (component.missing == Missing::nan && !is_floating(component.dtype))
    refuse_option(place +
                  "/missing: found \"nan\", expected another word since only float32 and float64 "
                  "have NaN; set missing to \"fill\", and fill to a number");
  if (fills && !component.fill)
    refuse_option(place + "/fill: found null, expected a number for the cells without a value; " +
                  (category ? "set fill, for example to the number of categories"
                            : "set fill, or missing to \"drop\" or, for a floating dtype, "
                              "\"nan\""));
  if (component.fill && !fills)
    refuse_option(place +
                  "/fill: found a number, expected null unless missing is \"fill\"; set "
                  "missing to \"fill\"");
  if (component.fill && !is_floating(component.dtype) &&
      (*component.fill != std::trunc(*component.fill) || std::fabs(*component.fill) > 0x1p53))
    refuse_option(place +
                  "/fill: found a number that is not whole, expected a whole one; correct "
                  "it");
}

void check_words(const Component& component, const std::string& place) {
  if (component.categories && component.dtype != files::CsvType::category)
    refuse_option(place +
                  "/categories: found a list, expected null unless dtype is category; set "
                  "dtype to \"category\"");
  if (component.unknown && !component.categories)
    refuse_option(place +
                  "/unknown: found a number, expected null unless categories is a list, since all "
                  "words of the file are known without it; set categories");
}

files::CsvComponent component_of(const Component& component, const std::string& place) {
  check_words(component, place);
  check_missing(component, place);
  if (component.scalar && component.columns.size() != 1)
    refuse_option(place + "/scalar: found true for " + std::to_string(component.columns.size()) +
                  " columns, expected one column; name it in columns");
  using files::CsvMissing;
  const CsvMissing missing = component.missing == Missing::refuse ? CsvMissing::refuse
                             : component.missing == Missing::drop ? CsvMissing::drop
                                                                  : CsvMissing::fill;
  const double fill = component.fill.value_or(std::numeric_limits<double>::quiet_NaN());
  return {component.columns,
          component.dtype,
          component.categories,
          component.unknown,
          missing,
          fill,
          place};
}

class Csv final : public broch::Indexed {
 public:
  Csv(const broch::Host& host, const Options& options)
      : host_(host), file_(options.file), components_(options.components) {
    if (options.separator == "\"" || options.separator == "\n" || options.separator == "\r")
      refuse_option(
          "/separator: found a quote or the end of a line, expected another character; use \",\"");
    // Cells end at a byte.
    if (options.separator.size() > 1)
      refuse_option("/separator: found '" + options.separator +
                    "', expected a character of ASCII, such as ',', ';' or a tab; write the file "
                    "with one of them");
    format_ = {options.separator[0], options.quotes, options.header, options.missing_words,
               options.threads};
    for (size_t i = 0; i < components_.size(); ++i)
      read_.push_back(component_of(components_[i], "/components/" + std::to_string(i)));
  }

  void reset_state() override {
    table_ = files::read_csv(files::Content(file_).bytes(), file_, format_, read_);
    for (size_t i = 0; i < components_.size(); ++i)
      if (!components_[i].scalar)
        shapes_.push_back({int64_t(table_.components[i].columns)});
      else
        shapes_.emplace_back();
    tell_replaced();
  }

  std::optional<int64_t> size() override { return int64_t(table_.rows); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= table_.rows) return false;
    for (size_t i = 0; i < components_.size(); ++i) {
      const files::CsvColumns& columns = table_.components[i];
      const std::optional<std::string>& name = components_[i].name;
      void* const to = point.allocate(type_of(components_[i].dtype), shapes_[i].data(),
                                      shapes_[i].size(), name ? name->c_str() : nullptr);
      std::memcpy(to, columns.values.get() + position.index * columns.row_bytes, columns.row_bytes);
    }
    return true;
  }

 private:
  // A table with many holes trains without a complaint, and badly.
  void tell_replaced() const {
    std::vector<std::string> words;
    if (table_.counts.filled > 0)
      words.push_back("filled " + counted(table_.counts.filled, "cell") + " without a value");
    if (table_.counts.unknown > 0)
      words.push_back("gave " + counted(table_.counts.unknown, "cell") +
                      " with other words the number unknown");
    if (table_.dropped > 0)
      words.push_back("dropped " + std::to_string(table_.dropped) + " of " +
                      counted(table_.rows + table_.dropped, "row"));
    std::string text;
    for (const std::string& one : words) text += (text.empty() ? ": " : "; ") + one;
    if (!text.empty()) host_.info(file_ + text);
  }

  static std::string counted(uint64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
  }

  broch::Host host_;
  std::string file_;
  std::vector<Component> components_;
  files::CsvFormat format_;
  std::vector<files::CsvComponent> read_;
  files::CsvTable table_;
  std::vector<std::vector<int64_t>> shapes_;  // indexed by component
};

}  // namespace

BROCH_DATAFLOW(Csv, "broch.dataflow.csv", "1.0.0",
               "Yields one data point per line of a .csv file of numbers and words.",
               Options::schema)
