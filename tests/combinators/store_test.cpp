// store_test.cpp: the file of the dataflow cache: torn, damaged, shared.
#include <doctest/doctest.h>

#include <broch/broch.hpp>
#include <filesystem>
#include <fstream>

#include "dataflows/combinators/record_store.hpp"
#include "folder.hpp"

using namespace broch::dataflows;

namespace {

std::string record(uint64_t number) { return std::string(20 + 7 * number, char('a' + number)); }

void fill(const std::string& path) {
  FileStore store(path, 7, UINT64_MAX);
  for (uint64_t i = 0; i < 5; ++i) CHECK(store.put(i, record(i)));
  store.complete(5);
}

}  // namespace

TEST_CASE("cache file: cut at any byte, the whole records before are there, and it can be filled") {
  const broch::test::Folder folder;
  const std::string path = folder / "whole", cut = folder / "cut";
  fill(path);
  const auto size = std::filesystem::file_size(path);
  for (uint64_t n = 16; n <= size; ++n) {
    std::filesystem::copy_file(path, cut, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, n);
    {
      FileStore store(cut, 7, UINT64_MAX);
      bool is_there = true;
      for (uint64_t i = 0; i < 5; ++i) {
        const Record found = store.get(i);
        CHECK((is_there || !found));
        is_there = is_there && found != nullptr;
        if (found) CHECK(*found == record(i));
      }
      CHECK(store.count().has_value() == (n == size));
      CHECK(store.put(4, record(4)));
    }
    FileStore again(cut, 7, UINT64_MAX);
    CHECK(*again.get(4) == record(4));
  }
}

TEST_CASE("cache file: a changed byte is noticed, and never crashes") {
  const broch::test::Folder folder;
  const std::string path = folder / "whole", bad = folder / "bad";
  fill(path);
  const auto size = std::filesystem::file_size(path);
  for (uint64_t n = 0; n < size; ++n) {
    std::filesystem::copy_file(path, bad, std::filesystem::copy_options::overwrite_existing);
    std::fstream file(bad, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(n));
    const int byte = file.get();
    file.seekp(std::streamoff(n));
    file.put(char(byte ^ 0x41));
    file.close();
    try {
      FileStore store(bad, 7, UINT64_MAX);
      for (uint64_t i = 0; i < 5; ++i)
        if (const Record found = store.get(i)) CHECK(*found == record(i));
    } catch (const broch::Error& error) {
      CHECK(std::string(error.what()).find(bad) == 0);
    }
  }
}

TEST_CASE("cache file: the second process reads, the first one writes") {
  const broch::test::Folder folder;
  const std::string path = folder / "shared";
  FileStore first(path, 7, UINT64_MAX);
  CHECK(first.put(0, record(0)));
  FileStore second(path, 7, UINT64_MAX);  // a lock of its own, as of another process
  CHECK(*second.get(0) == record(0));
  CHECK_FALSE(second.put(1, record(1)));
  CHECK(first.put(1, record(1)));
  CHECK_FALSE(second.get(1));
  CHECK_THROWS_AS(FileStore(path, 8, UINT64_MAX), broch::Error);
}

TEST_CASE("cache: no more than the limit") {
  const broch::test::Folder folder;
  FileStore file(folder / "small", 7, 100);
  CHECK(file.put(0, record(0)));
  CHECK_FALSE(file.put(1, record(1)));
  MemoryStore memory(50);
  CHECK(memory.put(0, record(0)));
  CHECK(memory.put(1, record(1)));
  CHECK_FALSE(memory.put(2, record(2)));
  CHECK(*memory.get(1) == record(1));
  CHECK_FALSE(memory.get(2));
}
