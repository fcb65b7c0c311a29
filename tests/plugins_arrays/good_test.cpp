// good_test.cpp: files that numpy wrote hold what numpy reads from them (reference/make_npy.py).
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "support.hpp"

using namespace arrays;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<int64_t> integers(const std::string& text, char separator) {
  std::vector<int64_t> values;
  for (const std::string& part : split(text, separator)) values.push_back(std::stoll(part));
  return values;
}

Element named(const std::string& name) {
  for (const ElementFacts& known : kElements)
    if (name == known.name) return known.element;
  FAIL("no element type " << name);
  return Element::boolean;
}

// Python prints the shortest text that reads back as the same number.
template <class T>
bool equals(const char* bytes, const std::string& text) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::is_floating_point_v<T>) return value == std::strtod(text.c_str(), nullptr);
  return std::to_string(+value) == text;
}

void check_values(const Column& column, const std::vector<std::string>& texts) {
  const size_t size = size_of(column.element);
  REQUIRE(column.bytes.size() == texts.size() * size);
  for (size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(i);
    CAPTURE(texts[i]);
    CHECK(with_type(column.element, [&]<class T>(T) {
      return equals<T>(column.bytes.data() + i * size, texts[i]);
    }));
  }
}

// file|columns|dtype|scale|header|element|shape|values
void check_line(const std::string& line) {
  CAPTURE(line);
  const std::vector<std::string> fields = split(line, '|');
  REQUIRE(fields.size() == 8);
  ColumnOptions options;
  options.file = std::string(GOOD_DIR) + "/" + fields[0];
  options.header = fields[4] == "header";
  options.scale = std::stod(fields[3]);
  if (fields[1] != "-") options.columns = integers(fields[1], ':');
  if (fields[2] != "-") options.element = named(fields[2]);
  check_options(options, "/components/0");
  const Table table = Table::read(options.file, options.header);
  const Column column = take_column(table, options);
  std::vector<int64_t> shape = column.shape;
  shape.insert(shape.begin(), int64_t(table.rows()));
  CHECK(column.element == named(fields[5]));
  CHECK(shape == integers(fields[6], ','));
  check_values(column, split(fields[7], ' '));
}

}  // namespace

TEST_CASE("arrays: files are read and converted as numpy does") {
  const auto lines = split(support::read_file(std::string(GOOD_DIR) + "/expected.txt"), '\n');
  REQUIRE(lines.size() >= 30);
  for (const std::string& line : lines) check_line(line);
}
