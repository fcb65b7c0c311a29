// lmdb_writer_test.cpp: databases that we wrote, read by ourselves and by Python.
#include "containers/lmdb_file.hpp"
#include "lmdb/writer.hpp"
#include "msgpack/point.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;

TEST_CASE("lmdb: what is written is read again") {
  const support::Folder folder;
  constexpr int64_t kPoints = 12000;  // a tree with two levels of branches
  // Every seventh point is too large for a page of the tree.
  const auto size = [](int64_t i) { return size_t(i % 7 ? 300 : 9000); };
  {
    lmdb::Writer writer(folder / "a.lmdb");
    for (int64_t i = 0; i < kPoints; ++i) {
      const std::string bytes(size(i), 'x');
      writer.add({{"", scalar_of(kInt64, i)}, {"", bytes_of(bytes)}});
    }
    writer.finish();
  }
  const File source(folder / "a.lmdb");
  const LmdbFile file(source);
  const auto value = [&](const std::string& key) {
    const auto place = file.find(key);
    REQUIRE(place);
    return source.read(place->offset, place->size);
  };
  const std::vector<std::string> keys = msgpack::parse_keys(value("__keys__"), "a");
  REQUIRE(keys.size() == kPoints);
  for (int64_t i = 0; i < kPoints; ++i) {
    const std::string bytes = value(keys[size_t(i)]);
    const auto found = msgpack::parse_point(bytes, "a");
    REQUIRE(support::values<int64_t>(found[0].component) == std::vector<int64_t>{i});
    REQUIRE(found[1].component.bytes().size() == size(i));
  }
  uint64_t count = 0;
  file.each_key([&count](std::string_view) { ++count; });
  CHECK(count == kPoints + 1);
  CHECK_FALSE(file.find("00012000"));
  support::check_refused("exists already", [&] { lmdb::Writer(folder / "a.lmdb"); });
}

TEST_CASE("reference: Python's lmdb and msgpack_numpy read what we write") {
  const support::Folder folder;
  {
    lmdb::Writer writer(folder / "a.lmdb");
    for (int64_t i = 0; i < 2; ++i)
      writer.add(
          {{"x", values_of<float>(kFloat32, {0.5, 1}, {2, 1})}, {"y", scalar_of(kInt64, i)}});
    writer.finish();
  }
  const auto text = support::reference("lmdb", folder / "a.lmdb");
  if (text)
    CHECK(*text == "x float32[2, 1] 0.5 1.0; y int64[] 0\nx float32[2, 1] 0.5 1.0; y int64[] 1\n");
}
