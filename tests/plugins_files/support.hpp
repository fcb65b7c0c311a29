// support.hpp: good files that other programs wrote, bytes as text, messages of errors.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "arrays/diagnostic.hpp"
#include "folder.hpp"
#include "matches.hpp"

namespace support {

using broch::test::Folder;
using broch::test::read_file;

inline std::string good(const std::string& name) { return std::string(GOOD_DIR) + "/" + name; }

inline std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes)
    for (const int shift : {4, 0})
      text += "0123456789abcdef"[static_cast<uint8_t>(byte) >> shift & 15];
  return text;
}

// The fields of each line of a file.
inline std::vector<std::vector<std::string>> fields_of(const std::string& file) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream(read_file(file));
  for (std::string line; std::getline(stream, line);) {
    lines.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '|');) lines.back().push_back(field);
  }
  return lines;
}

// The message of the Error that action throws; "" if it throws none.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const broch::Error& error) {
    return error.what();
  }
}

// action throws an Error that says what was found and expected and what to do, and matches.
inline void check_refusal(const std::function<void()>& action, const std::string& pattern) {
  const std::string text = refusal(action);
  CAPTURE(text);
  CAPTURE(pattern);
  CHECK(matches(text, ": found .*, expected .*; "));
  CHECK(matches(text, pattern));
}

}  // namespace support
