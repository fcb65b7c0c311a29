// text_rows.hpp: rows of numbers as text, which all text formats share.
#pragma once
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "rows.hpp"

namespace broch::predict {

// A new file. Throws base::Error (data).
std::ofstream created(const std::filesystem::path& path);
// Throws base::Error (data) if something was not written.
void finish(std::ofstream& stream, const std::filesystem::path& path);

template <typename T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// How a format writes what is no number.
struct Words {
  const char *yes, *no, *missing;
  std::string (*infinite)(bool negative);
};
extern const Words kCsvWords, kJsonWords;

// In the fewest digits that give the same number back.
std::string text_of(float number, const Words& words);
std::string text_of(double number, const Words& words);
std::string text_of(const char* element, broch_dtype dtype, const Words& words);

// In quotes if it needs them.
std::string csv_cell(const std::string& text);

// Calls found for each row of each column, the columns side by side.
void each_row(const Rows& rows,
              const std::function<void(int64_t row, size_t column, const char* bytes)>& found);

}  // namespace broch::predict
