// text_rows.cpp: numbers as CSV and JSON have them, and the files that they are written to.
#include "text_rows.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/error.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using base::Exit;

template <typename T>
std::string shortest(T value, const Words& words) {
  if (std::isnan(value)) return words.missing;
  if (std::isinf(value)) return words.infinite(value < 0);
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

const Words kCsvWords{"1", "0", "nan",
                      [](bool negative) { return std::string(negative ? "-inf" : "inf"); }};
const Words kJsonWords{"true", "false", "null", [](bool) { return std::string("null"); }};

std::ofstream created(const fs::path& path) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (!stream)
    base::fail(Exit::data, path.string(), std::strerror(errno), "a file to write",
               "check the path and its permissions");
  return stream;
}

void finish(std::ofstream& stream, const fs::path& path) {
  stream.close();
  if (!stream)
    base::fail(Exit::data, path.string(), std::string("cannot be written: ") + std::strerror(errno),
               "", "free space on this file system, or choose another one");
}

std::string text_of(float number, const Words& words) { return shortest(number, words); }
std::string text_of(double number, const Words& words) { return shortest(number, words); }

std::string text_of(const char* element, broch_dtype dtype, const Words& words) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return text_of(load<float>(element), words);
    case BROCH_FLOAT64:
      return text_of(load<double>(element), words);
    case BROCH_INT8:
      return std::to_string(load<int8_t>(element));
    case BROCH_INT16:
      return std::to_string(load<int16_t>(element));
    case BROCH_INT32:
      return std::to_string(load<int32_t>(element));
    case BROCH_INT64:
      return std::to_string(load<int64_t>(element));
    case BROCH_UINT8:
      return std::to_string(load<uint8_t>(element));
    default:
      return load<uint8_t>(element) ? words.yes : words.no;  // BROCH_BOOL
  }
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

void each_row(const Rows& rows,
              const std::function<void(int64_t row, size_t column, const char* bytes)>& found) {
  constexpr size_t kMost = 1024;  // rows at a time
  const size_t n = rows.columns().size();
  std::vector<std::string> blocks(n);
  for (int64_t first = 0; first < rows.count(); first += int64_t(kMost)) {
    const int64_t count = std::min<int64_t>(kMost, rows.count() - first);
    for (size_t i = 0; i < n; ++i) blocks[i] = rows.read(i, first, count);
    for (int64_t k = 0; k < count; ++k)
      for (size_t i = 0; i < n; ++i)
        found(first + k, i, blocks[i].data() + size_t(k) * rows.columns()[i].bytes());
  }
}

}  // namespace broch::predict
