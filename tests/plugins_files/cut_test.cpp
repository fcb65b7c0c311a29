// cut_test.cpp: another process cuts a file short while it is in use, or too many are open.
#include <sys/resource.h>

#include <filesystem>

#include "arrays/npy.hpp"
#include "files/content.hpp"
#include "files/npy_array.hpp"
#include "files/text_lines.hpp"
#include "files/token_file.hpp"
#include "support.hpp"

using namespace support;
using namespace files;

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLarge = kMostKept + 4096;  // bytes; it stays on disk

// A file of zeros that takes no space.
std::string sparse(const Folder& folder, const std::string& name, const std::string& start) {
  const std::string path = folder.write(name, start);
  fs::resize_file(path, kLarge);
  return path;
}

}  // namespace

TEST_CASE("a large file that is cut short is refused when it is read") {
  Folder folder;
  std::vector<int64_t> tokens(100);
  const std::string numbers = sparse(folder, "large.bin", "");
  const TokenFile file(numbers, TokenType::uint16, 0);
  file.copy(file.size() - 100, 100, tokens.data());
  fs::resize_file(numbers, 1000);
  file.copy(0, 100, tokens.data());
  check_refusal([&] { file.copy(file.size() - 100, 100, tokens.data()); },
                "large.bin: byte [0-9]+: found the end of the file");

  std::string header = broch::archive::npy_header("<i4", {kLarge / 4 - 32});
  REQUIRE(header.size() == 128);
  const std::string rows = sparse(folder, "large.npy", header);
  const NpyArray array = NpyArray::open(rows);
  int32_t row = -1;
  array.copy_row(array.rows() - 1, reinterpret_cast<char*>(&row));
  CHECK(row == 0);
  fs::resize_file(rows, 1000);
  check_refusal([&] { array.copy_row(array.rows() - 1, reinterpret_cast<char*>(&row)); },
                "large.npy: byte 268439548: found the end of the file");

  const std::string lines = sparse(folder, "large.txt", "one\ntwo\n");
  const auto text = open_source(lines);
  const std::vector<uint64_t> begins = line_begins(*text);
  REQUIRE(begins.size() == 4);
  CHECK(line_at(*text, begins, 2, 5) == std::string(5, '\0'));
  fs::resize_file(lines, 4);
  CHECK(line_at(*text, begins, 0) == "one");
  check_refusal([&] { line_at(*text, begins, 1); }, "large.txt: byte 4: found the end of the file");
}

TEST_CASE("a small file is kept as far as it was read") {
  Folder folder;
  const std::string path = folder.write("small.bin", "");
  fs::resize_file(path, 10'000'000);
  const TokenFile file(path, TokenType::uint8, 0);
  std::vector<int64_t> tokens(3, -1);
  file.copy(0, 3, tokens.data());
  fs::resize_file(path, 0);
  file.copy(1000, 3, tokens.data());
  CHECK(tokens == std::vector<int64_t>(3));
  check_refusal([&] { file.copy(file.size() - 3, 3, tokens.data()); },
                "small.bin: byte [0-9]+: found the end of the file");
}

TEST_CASE("no room for one more open file is no damage of the data") {
  Folder folder;
  const std::string path = folder.write("one.bin", "1");
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  broch_status status = BROCH_OK;
  try {
    const broch::archive::File file(path);
  } catch (const broch::Error& error) {
    status = error.status();
  }
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(status == BROCH_E_RESOURCE_EXHAUSTED);
}
