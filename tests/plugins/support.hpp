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
#include <regex>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace support {

namespace fs = std::filesystem;

inline std::string fixture(const std::string& name) {
  return std::string(FIXTURE_DIR) + "/" + name + ".so";
}

inline std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A folder that only its owner may write to, removed with all it holds.
class Folder {
 public:
  Folder() : path_(make()) {}
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
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

 private:
  static std::string make() {
    std::string path = (fs::temp_directory_path() / "broch-plugins-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    return path;
  }

  std::string path_;
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
inline void check_complaint(const std::string& message, const std::string& place,
                            const std::string& found, const std::string& expected,
                            const std::string& next = ".+") {
  INFO(message);
  INFO("place: " << place << "  found: " << found << "  expected: " << expected);
  CHECK(std::regex_search(
      message, std::regex("^" + place + ": [^\n]*" + found + "[^\n]*, expected [^\n]*" + expected +
                          "[^\n]*\n  hint: [^\n]*" + next)));
}

}  // namespace support
