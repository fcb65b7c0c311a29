// support.hpp: fixtures, temporary folders and messages of errors.
#pragma once
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "folder.hpp"
#include "matches.hpp"

namespace support {

namespace fs = std::filesystem;

inline std::string fixture(const std::string& name) {
  return std::string(FIXTURE_DIR) + "/" + name + ".so";
}

inline std::vector<std::byte> read_bytes(const std::string& path) {
  const std::string text = broch::test::read_file(path);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

using broch::test::write_file;

// Libraries in a folder that only its owner may write to.
class Folder : public broch::test::Folder {
 public:
  std::string folder(const std::string& name) const {
    fs::create_directories(*this / name);
    return *this / name;
  }
  // Copies a fixture and gives the path of the copy.
  std::string put(const std::string& fixture_name, const std::string& as) const {
    fs::copy_file(fixture(fixture_name), *this / as, fs::copy_options::overwrite_existing);
    chmod((*this / as).c_str(), 0644);
    return *this / as;
  }
};

// The message of the error that the action must end in; its exit code must be 4.
inline std::string failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const broch::base::Error& error) {
    CHECK(error.exit() == broch::base::Exit::plugin);
    return error.what();
  }
  return "no error";
}

// "place: found, expected …\n  hint: …", each part as an expression.
inline void check_diagnostic(const std::string& message, const std::string& place,
                             const std::string& found, const std::string& expected,
                             const std::string& next = ".+") {
  INFO(message);
  INFO("place: " << place << "  found: " << found << "  expected: " << expected);
  CHECK(matches(message, "^" + place + ": [^\n]*" + found + "[^\n]*, expected [^\n]*" + expected +
                             "[^\n]*\n  hint: [^\n]*" + next));
}

}  // namespace support
