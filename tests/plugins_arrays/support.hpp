// support.hpp: .npy files as bytes, files in a folder of their own, messages of errors.
#pragma once
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "arrays/dataset.hpp"
#include "arrays/diagnostic.hpp"
#include "folder.hpp"
#include "matches.hpp"

namespace support {

namespace fs = std::filesystem;

using broch::test::Folder;
using broch::test::read_file;

// A .npy file of format major.0 around a header's dict.
inline std::string npy(const std::string& dict, const std::string& data, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += {char(major), '\0'};
  const int width = major == 1 ? 2 : 4;
  for (int i = 0; i < width; ++i) bytes += char(dict.size() >> (8 * i) & 255);
  return bytes + dict + data;
}

inline std::string dict(const std::string& descr, const std::string& shape,
                        const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

struct Refusal {
  broch_status status = BROCH_OK;
  std::string text;
};

inline Refusal refusal(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const broch::Error& error) {
    return {error.status(), error.what()};
  }
}

// Four expressions that a message has to match, in this order.
struct Expected {
  std::string place, found, expected, next;
};

inline void check_refusal(const std::string& what, const Refusal& refused, const Expected& wanted,
                          broch_status status = BROCH_E_DATA_LOSS) {
  CAPTURE(what);
  CAPTURE(refused.text);
  CHECK(refused.status == status);
  const std::string pattern = "^" + wanted.place + ": found [^\n]*" + wanted.found +
                              "[^\n]*, expected [^\n]*" + wanted.expected + "[^\n]*; [^\n]*" +
                              wanted.next;
  CHECK(matches(refused.text, pattern));
}

}  // namespace support
