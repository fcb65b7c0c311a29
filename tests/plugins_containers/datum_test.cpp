// datum_test.cpp: images of Caffe, and bytes that are none.
#include "containers/datum.hpp"

#include "containers/lmdb_file.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;
using namespace std::string_literals;
using support::good;
using support::values;

namespace {

using Shape = std::vector<int64_t>;

void check_refused(const std::string& bytes, const std::string& pattern) {
  support::check_refused(pattern, [&] { parse_datum(bytes, "a.lmdb: key 'x'"); });
}

}  // namespace

TEST_CASE("datum: the planes of a database become pixels") {
  const File source(good("caffe.lmdb"));
  const LmdbFile file(source);
  int64_t index = 0;
  file.each_key([&](std::string_view key) {
    const auto place = file.find(key);
    REQUIRE(place);
    const std::string bytes = source.read(place->offset, place->size);
    const std::vector<Named> point = parse_datum(bytes, "a");
    REQUIRE(point.size() == 2);
    CHECK(point[0].component.shape == Shape{2, 4, 3});
    std::vector<uint8_t> pixels;
    for (int64_t pixel = 0; pixel < 8; ++pixel)
      for (int64_t plane = 0; plane < 3; ++plane)
        pixels.push_back(uint8_t(plane * 8 + pixel + index));
    CHECK(values<uint8_t>(point[0].component) == pixels);
    CHECK(point[1].component.shape.empty());
    CHECK(values<int64_t>(point[1].component) == std::vector<int64_t>{-index});
    ++index;
  });
  CHECK(index == support::kCount);
}

TEST_CASE("datum: floats, packed or not, and encoded images") {
  // As the package protobuf writes channels = 2, height = 1, width = 1, label = 7.
  const std::string head = "\x08\x02\x10\x01\x18\x01\x28\x07";
  const std::string half = "\0\0\0\x3f"s, minus_two = "\0\0\0\xc0"s;
  for (const std::string& floats :
       {"\x35" + half + "\x35" + minus_two, "\x32\x08" + half + minus_two}) {
    const std::string bytes = head + floats;
    const std::vector<Named> point = parse_datum(bytes, "a");
    CHECK(values<float>(point[0].component) == std::vector<float>{0.5, -2});
    CHECK(point[0].component.shape == Shape{1, 1, 2});
    CHECK(values<int64_t>(point[1].component) == std::vector<int64_t>{7});
  }
  const std::string encoded = "\x22\x03\xff\xd8x\x28\x03\x38\x01";
  const std::vector<Named> point = parse_datum(encoded, "a");
  CHECK(point[0].component.bytes() == "\xff\xd8x");
  CHECK(point[0].component.shape == Shape{3});
  CHECK(values<int64_t>(point[1].component) == std::vector<int64_t>{3});
}

TEST_CASE("datum: bytes that are none") {
  check_refused("", "key 'x': found 0 elements, expected 0 x 0 x 0 as channels.*option format");
  check_refused("\x08\x02\x10\x01\x18\x01\x22\x01x", "found 1 elements, expected 2 x 1 x 1");
  check_refused("\x22\x7fx", "byte 2 of the record: found a field of 127 bytes, expected at most");
  check_refused("\x08", "byte 1 of the record: found the end of the message");
  check_refused("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01\x18\x01\x22\x01x",
                "found 1 elements, expected -1 x 1 x 1");
  check_refused("\x32\x03xyz", "found a list of floats of 3 bytes, expected a multiple of 4");
  check_refused(support::read_file(good("tensorpack.msgpack")), "option format");
}
