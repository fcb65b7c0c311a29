// column.cpp: selects, scales and converts the elements of one component.
#include "arrays/column.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "arrays/diagnostic.hpp"

namespace arrays {
namespace {

[[noreturn]] void refuse_option(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next) {
  throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                     place + ": found " + found + ", expected " + expected + "; " + next);
}

template <class Number>
std::string shown(Number value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}
std::string shown(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

// The positions in a row of the elements of the component.
using Elements = std::vector<uint64_t>;

std::vector<int64_t> shape_of(const Table& table, const ColumnOptions& options, uint64_t count) {
  if (!options.shape)
    return table.is_csv() ? std::vector<int64_t>{int64_t(count)} : table.row_shape();
  uint64_t elements = 1;
  for (const int64_t extent : *options.shape)
    if (__builtin_mul_overflow(elements, uint64_t(extent), &elements)) elements = 0;
  if (elements != count)
    refuse(table.file(),
           std::to_string(count) + (count == 1 ? " element" : " elements") + " in each row",
           "a product of shape " + shown(*options.shape), "correct the option shape");
  return *options.shape;
}

// False if the value does not fit. largest: the largest value of To, or 1 for a bool.
template <class From, class To>
bool convert(From value, double scale, To largest, To& to) {
  if constexpr (std::is_floating_point_v<To>) {
    const double scaled = double(value) * scale;
    to = To(scaled);
    return std::isfinite(to) || !std::isfinite(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // Above 2^53, a double may already differ from the number in the file.
    if (!(std::fabs(value) <= 0x1p53) || value != std::trunc(value)) return false;
    return convert(int64_t(value), scale, largest, to);
  } else {
    if (!std::in_range<To>(value) || std::cmp_greater(value, largest)) return false;
    to = To(value);  // NOLINT(bugprone-signed-char-misuse): an int8 is a number here
    return true;
  }
}

template <class From, class To>
void convert_all(const Table& table, const Elements& elements, const ColumnOptions& options,
                 Column& column) {
  const To largest = column.element == Element::boolean ? To(1) : std::numeric_limits<To>::max();
  char* out = column.bytes.data();
  for (uint64_t row = 0; row < table.rows(); ++row) {
    const char* in = table.data() + row * table.row_elements() * sizeof(From);
    for (const uint64_t i : elements) {
      From value;
      To converted{};
      std::memcpy(&value, in + i * sizeof value, sizeof value);
      // NOLINTNEXTLINE(misc-redundant-expression): NaN; no integer is one
      if (value != value && !options.missing)
        refuse(table.place(row, i), table.is_csv() ? "no number" : "NaN", "a number",
               "fill it in, or set missing to \"nan\" for a floating dtype");
      if (!convert(value, options.scale, largest, converted))
        refuse(table.place(row, i), shown(value),
               "a value that " + std::string(facts(column.element).name) + " can hold",
               "choose another dtype or correct the value");
      std::memcpy(out, &converted, sizeof converted);
      out += sizeof converted;
    }
  }
}

}  // namespace

void check_options(const ColumnOptions& options, const std::string& place) {
  if (!is_csv_name(options.file) && !is_npy_name(options.file))
    refuse_option(place + "/file", quoted(options.file), "a name that ends in .npy or .csv",
                  "convert the data to one of them");
  if (is_npy_name(options.file) && (options.columns || options.has_header()))
    refuse_option(place, "columns or header for a .npy file", "them for a .csv file only",
                  "remove the option; set shape to change the shape of a row");
  if (options.columns && (*options.columns)[1] < 1)
    refuse_option(place + "/columns", shown(*options.columns), "[first, count] with a count from 1",
                  "correct the count");
  const bool floating =
      options.element ? facts(*options.element).floating : is_csv_name(options.file);
  if (!floating && options.scale != 1)
    refuse_option(place + "/scale", shown(options.scale), "1 unless dtype is floating",
                  "set dtype to float32");
  if (!floating && options.missing)
    refuse_option(place + "/missing", "\"nan\"", "\"refuse\" unless dtype is floating",
                  "set dtype to float32");
}

Column take_column(const Table& table, const ColumnOptions& options) {
  const Elements elements = table.elements_of(options.wanted());
  Column column;
  column.element = options.element.value_or(table.is_csv() ? Element::float32 : table.element());
  column.shape = shape_of(table, options, elements.size());
  if (__builtin_mul_overflow(elements.size(), size_of(column.element), &column.row_bytes) ||
      column.row_bytes > std::numeric_limits<int64_t>::max() / table.rows())
    refuse(table.file(), std::to_string(table.rows()) + " rows", "as many as memory holds",
           "choose a smaller dtype");
  column.bytes.resize(column.row_bytes * table.rows());
  with_type(table.element(), [&]<class From>(From) {
    with_type(column.element,
              [&]<class To>(To) { convert_all<From, To>(table, elements, options, column); });
  });
  return column;
}

}  // namespace arrays
