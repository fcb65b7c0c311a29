// support.hpp: the good files, messages of errors, and values of components.
#pragma once
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "broch/cpp/error.hpp"
#include "containers/component.hpp"
#include "folder.hpp"
#include "matches.hpp"

namespace support {

using broch::test::Folder;
using broch::test::read_file;

constexpr int64_t kCount = 5;  // samples in each good file

inline std::string good(const std::string& name) { return GOOD_DIR "/" + name; }

// The message of the Error that the action throws; "" if it throws none.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
    return "";
  } catch (const broch::Error& error) {
    return error.what();
  }
}

inline void check_refused(const std::string& pattern, const std::function<void()>& action) {
  const std::string message = refusal(action);
  CAPTURE(message);
  CHECK(matches(message, pattern));
}

template <class T>
std::vector<T> values(std::string_view bytes) {
  REQUIRE(bytes.size() % sizeof(T) == 0);
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
  return list;
}
template <class T>
std::vector<T> values(const containers::Component& component) {
  return values<T>(component.bytes());
}

// The image of sample index: 2 by 3 by 1.
inline std::vector<uint8_t> image(int64_t index) {
  std::vector<uint8_t> list;
  for (int64_t i = 0; i < 6; ++i) list.push_back(uint8_t(i + index));
  return list;
}

// What check_containers.py prints about a file of this kind. No value: BROCH_REFERENCE_PYTHON names
// no Python to run it.
inline std::optional<std::string> reference(const std::string& kind, const std::string& path) {
  const char* const python = std::getenv("BROCH_REFERENCE_PYTHON");
  if (!python) {
    MESSAGE("skipped: BROCH_REFERENCE_PYTHON is not set");
    return std::nullopt;
  }
  const std::string command =
      std::string(python) + " " REFERENCE_DIR "/check_containers.py " + kind + " " + path;
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string text;
  char block[4096];
  while (const size_t size = std::fread(block, 1, sizeof block, pipe)) text.append(block, size);
  CHECK(pclose(pipe) == 0);
  return text;
}

}  // namespace support
