// lmdb_file_test.cpp: a database of tensorpack's serializer, and damaged ones.
#include "containers/lmdb_file.hpp"

#include <random>
#include <thread>

#include "msgpack/point.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;
using support::good;
using support::values;

namespace {

std::string value(const Source& source, const LmdbFile& file, const std::string& key) {
  const auto place = file.find(key);
  return place ? source.read(place->offset, place->size) : "";
}

// Reads all that there is.
void read_all(const std::string& bytes) {
  const Memory memory(bytes, "a.lmdb");
  const LmdbFile file(memory);
  file.each_key([&](std::string_view key) { value(memory, file, std::string(key)); });
}

}  // namespace

TEST_CASE("lmdb: a database that tensorpack's serializer wrote, read by several threads") {
  const File source(good("tensorpack.lmdb"));
  const LmdbFile file(source);
  const std::vector<std::string> keys = msgpack::parse_keys(value(source, file, "__keys__"), "a");
  REQUIRE(keys.size() == support::kCount);
  CHECK(keys[3] == "00000003");
  std::vector<std::string> all;
  file.each_key([&all](std::string_view key) { all.emplace_back(key); });
  CHECK(all.size() == keys.size() + 1);
  const auto check = [&](size_t i) {
    const std::string bytes = value(source, file, keys[i]);
    const auto point = msgpack::parse_point(bytes, "a");
    REQUIRE(point.size() == 5);
    CHECK(values<uint8_t>(point[0].component) == support::image(int64_t(i)));
    CHECK(point[0].component.shape == std::vector<int64_t>{2, 3, 1});
    CHECK(values<int64_t>(point[1].component) == std::vector<int64_t>{int64_t(i)});
    CHECK(values<float>(point[2].component) == std::vector<float>{float(i) / 2});
    CHECK(point[2].component.shape.empty());
    CHECK(point[3].component.bytes() == "text " + std::to_string(i));
    CHECK(values<int64_t>(point[4].component) == std::vector<int64_t>{1, 2});
  };
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (size_t i = 0; i < 200; ++i) check(i % keys.size());
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(file.find("x"));
  CHECK_FALSE(file.find(""));
}

TEST_CASE("lmdb: no database, and one that is cut short or damaged") {
  const std::string whole = support::read_file(good("tensorpack.lmdb"));
  read_all(whole);
  support::check_refused("byte 0: found another head", [] { read_all(std::string(9000, 'x')); });
  support::check_refused("byte 0: found another head", [] { read_all(""); });
  support::check_refused("found 2 pages, expected 3; the file is cut short",
                         [&] { read_all(whole.substr(0, whole.size() - 1)); });
  constexpr int kMutations = 50000;
  std::mt19937_64 random(20260801);
  int refused = 0;
  for (int round = 0; round < kMutations; ++round) {
    CAPTURE(round);
    std::string bytes = whole;
    for (uint64_t n = random() % 3 + 1; n > 0; --n) {
      // The heads, the head of the leaf with its offsets, or anything.
      const size_t begins[] = {0, 4096, 8192, random() % (bytes.size() - 160)};
      bytes[begins[random() % 4] + random() % 160] = "\x00\x01\xff\x80\x10"[random() % 5];
    }
    const std::string message = support::refusal([&] { read_all(bytes); });
    refused += !message.empty();
    REQUIRE((message.empty() || message.find(", expected ") != std::string::npos));
  }
  MESSAGE(refused << " of " << kMutations << " were refused");
  CHECK(refused > 0);
}
