// store_test.cpp: the file of the dataflow cache: torn, damaged, shared.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <atomic>
#include <broch/broch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "dataflows/combinators/record.hpp"
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
  for (uint64_t n = 0; n <= size; ++n) {
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
      CHECK(store.count().value_or(5) == 5);
    } catch (const broch::Error& error) {
      CHECK(std::string(error.what()).find(bad) == 0);
    }
  }
}

TEST_CASE("cache file: zeros that a power failure has left are cut off") {
  const broch::test::Folder folder;
  const std::string path = folder / "zeros";
  CHECK(FileStore(path, 7, UINT64_MAX).put(3, record(3)));
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size + 100);
  FileStore store(path, 7, UINT64_MAX);
  CHECK(std::filesystem::file_size(path) == size);
  CHECK_FALSE(store.get(0));
  CHECK(*store.get(3) == record(3));
  CHECK(store.put(0, record(0)));
  CHECK(*store.get(0) == record(0));
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

TEST_CASE("cache file: a full disk is no damage of the point") {
  const broch::test::Folder folder;
  FileStore file(folder / "full", 7, UINT64_MAX);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{30, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  broch_status status = BROCH_OK;
  try {
    file.put(0, record(0));
  } catch (const broch::Error& error) {
    status = error.status();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(status == BROCH_E_RESOURCE_EXHAUSTED);
}

TEST_CASE("cache: whether there is room is known before a record is made") {
  const broch::test::Folder folder;
  FileStore file(folder / "small", 7, 100);  // 16 bytes of header, 24 more for each record
  CHECK(file.has_room(60));
  CHECK_FALSE(file.has_room(61));
  CHECK(file.put(0, std::string(35, 'a')));
  CHECK(file.has_room(1));
  CHECK_FALSE(file.has_room(2));
  CHECK(file.put(1, "b"));
  CHECK_FALSE(file.has_room(0));
  CHECK_FALSE(FileStore(folder / "small", 7, UINT64_MAX).has_room(0));  // it only reads
  MemoryStore memory(50);
  CHECK(memory.has_room(50));
  CHECK_FALSE(memory.has_room(51));
  CHECK(memory.put(0, record(0)));
  CHECK(memory.has_room(30));
  CHECK_FALSE(memory.has_room(31));
}

TEST_CASE("cache file: records are written and read on several threads") {
  const broch::test::Folder folder;
  const std::string path = folder / "shared";
  constexpr uint64_t kRecords = 200;
  const auto bytes = [](uint64_t number) { return std::string(100 + number, char(number)); };
  {
    FileStore store(path, 7, UINT64_MAX);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (uint64_t i = 0; i < kRecords; ++i) {
          const uint64_t number = (i + t * 7) % kRecords;
          if (const Record found = store.get(number)) wrong += *found != bytes(number);
          wrong += !store.put(number, bytes(number));
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    store.complete(kRecords);
  }
  FileStore again(path, 7, UINT64_MAX);
  CHECK(again.count() == kRecords);
  for (uint64_t i = 0; i < kRecords; ++i) CHECK(*again.get(i) == bytes(i));
  CHECK(std::filesystem::file_size(path) == 16 + kRecords * (24 + 100) + 199 * 100 + 24 + 8);
}

TEST_CASE("cache file: a record whose numbers cannot be is refused") {
  struct Like {
    broch_dl_type type = {BROCH_DL_FLOAT, 32, 1};
    std::vector<int64_t> shape = {2};
    int32_t rank = 1;
  };
  const auto refusal = [](const Like& like) -> std::string {
    std::string bytes;
    const auto put = [&bytes](auto number) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    put(uint64_t{7});  // the key
    put(uint32_t{1});  // components
    put(uint32_t{2});
    bytes += 'x';
    put(like.type);
    put(like.rank);
    for (const int64_t extent : like.shape) put(extent);
    put(1.0F), put(2.0F);
    try {
      const uint64_t key = read_record(bytes, [](const char* name, const broch_dl_tensor& tensor) {
        CHECK(std::string(name) == "x");
        CHECK(tensor.shape[0] == 2);
        CHECK(std::memcmp(tensor.data, "\0\0\x80\x3f\0\0\0\x40", 8) == 0);
      });
      CHECK(key == 7);
      return "";
    } catch (const broch::Error& error) {
      return error.what();
    }
  };
  CHECK(refusal({}) == "");
  const auto holds = [](const std::string& text, const char* words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(holds(refusal({.shape = {3}}), "expected more"));
  CHECK(holds(refusal({.shape = {-1}}), "a shape of more bytes than there can be"));
  const int64_t large = int64_t{1} << 31;
  CHECK(holds(refusal({.shape = {large, large}, .rank = 2}), "more bytes than there can be"));
  CHECK(holds(refusal({.rank = 65}), "65 dimensions, expected 0 to 64"));
  CHECK(holds(refusal({.type = {BROCH_DL_FLOAT, 12, 1}}), "elements of no known dtype"));
}
