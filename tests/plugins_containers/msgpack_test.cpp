// msgpack_test.cpp: points of tensorpack in MessagePack, read and written, and messages that are
// none.
#include <broch/cpp/dtype.hpp>

#include "msgpack/point.hpp"
#include "msgpack/writer.hpp"
#include "support.hpp"

using containers::Named;

namespace {

std::string good(const std::string& name) {
  return support::read_file(support::good(name + ".msgpack"));
}

// "dtype[shape]", with the name before it.
std::string facts(const Named& named) {
  const auto& [name, component] = named;
  std::string text =
      name + (name.empty() ? "" : " ") + broch::dtype_name(broch::dtype_of(component.type)) + "[";
  for (const int64_t size : component.shape) text += std::to_string(size) + ",";
  return text + "]";
}
template <class T>
T element(const Named& named, size_t index = 0) {
  return support::values<T>(named.component).at(index);
}

std::string refusal(const std::string& message) {
  try {
    msgpack::parse_point(message, "m");
    return "";
  } catch (const broch::Error& error) {
    CHECK(error.status() == BROCH_E_DATA_LOSS);
    return error.what();
  }
}
bool refuses(const std::string& message, const std::string& words) {
  const std::string text = refusal(message);
  CAPTURE(text);
  CHECK(text.find(words) != std::string::npos);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("msgpack: arrays, numbers, bytes, texts and lists of a point of tensorpack") {
  const std::string message = good("tensorpack");
  const std::vector<Named> point = msgpack::parse_point(message, "m");
  const char* const expected[] = {"uint8[2,3,]", "int64[]",    "float32[]", "bool[]",
                                  "uint8[2,]",   "uint8[2,]",  "int64[2,]", "float32[2,]",
                                  "int16[]",     "int16[2,0,]"};
  REQUIRE(point.size() == std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) CHECK(facts(point[i]) == expected[i]);
  CHECK(element<uint8_t>(point[0], 5) == 5);
  CHECK(element<int64_t>(point[1]) == 7);
  CHECK(element<float>(point[2]) == 0.5f);
  CHECK(element<uint8_t>(point[3]) == 1);
  CHECK(point[4].component.bytes() == "ab");
  CHECK(point[5].component.bytes() == "é");
  CHECK(element<int64_t>(point[6], 1) == 2);
  CHECK(element<float>(point[7], 1) == 2.5f);
  CHECK(element<int16_t>(point[8]) == 3);
}

TEST_CASE("msgpack: a map has names, an array alone is a point, keys of LMDB are a list") {
  const std::string named = good("named"), one = good("one"), keys = good("keys");
  const std::vector<Named> two = msgpack::parse_point(named, "m");
  REQUIRE(two.size() == 2);
  CHECK(facts(two[0]) == "image float16[1,2,]");
  CHECK(facts(two[1]) == "label int64[]");
  CHECK(element<int64_t>(two[1]) == 300);
  CHECK(facts(msgpack::parse_point(one, "m").at(0)) == "complex64[1,1,]");
  CHECK(msgpack::parse_keys(keys, "m") ==
        std::vector<std::string>{"00000000", "00000001", "00000002"});
  CHECK_THROWS_AS(msgpack::parse_keys(named, "m"), broch::Error);
}

TEST_CASE("msgpack: every kind of integer and number") {
  const std::pair<std::string, int64_t> integers[] = {
      {"\x05", 5},
      {"\xff", -1},
      {"\xcc\xff", 255},
      {std::string("\xcd\x01\x00", 3), 256},
      {std::string("\xce\x80\x00\x00\x00", 5), 2147483648},
      {std::string("\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 9), 4294967296},
      {"\xd0\x80", -128},
      {std::string("\xd1\x80\x00", 3), -32768},
      {std::string("\xd2\x80\x00\x00\x00", 5), -2147483648},
      {std::string("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9), INT64_MIN}};
  for (const auto& [bytes, value] : integers) {
    const std::string message = "\x91" + bytes;
    CHECK(element<int64_t>(msgpack::parse_point(message, "m").at(0)) == value);
  }
  const std::string real("\x91\xca\x3f\x80\x00\x00", 6);
  CHECK(element<float>(msgpack::parse_point(real, "m").at(0)) == 1.0f);
}

TEST_CASE("msgpack: what is no point is refused with its byte") {
  refuses("", "m: byte 0: found the end after 0 bytes, expected 1");
  refuses("\xc1", "m: byte 0: found the code 0xc1");
  refuses("\x91\xc0", "m: byte 1: found nil, expected an array, a number or bytes");
  refuses("\x80\x04\x95", "what looks like pickle, expected MessagePack; write it again with TENS");
  refuses("\x02", "what looks like pyarrow, expected MessagePack");
  refuses("\xc0", "m: byte 0: found nil, expected a list or a map");
  refuses("\x90", "found a list of 0, expected 1 to 1024 components");
  refuses("\x91\x01\x02", "m: byte 2: found more bytes, expected the end");
  refuses("\xdd\xff\xff\xff\xff", "found a list of 4294967295, expected no more elements");
  refuses("\xdf\xff\xff\xff\xff", "found a map of 4294967295");
  refuses("\xc6\xff\xff\xff\xff", "m: byte 5: found the end after 0 bytes, expected 4294967295");
  refuses("\x91\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "found the integer 18446744073709551615");
  refuses("\x91\x91\xa1x", "the text 'x' in a list");
  refuses("\x91\x81\xa1x\x01", "found the integer 1 for the key the text 'x', expected an array");
  refuses("\x91\x81\xa2nd\xc3", "an array without all of nd, type, shape and data");
  const auto array = [](const std::string& type, const std::string& shape,
                        const std::string& data) {
    return "\x91\x84\xa2nd\xc3\xa4type" + std::string(1, char(0xa0 + type.size())) + type +
           "\xa5shape" + shape + "\xa4" + "data\xc4" + std::string(1, char(data.size())) + data;
  };
  CHECK(refusal(array("<i2", "\x91\x02", "abcd")) == "");
  refuses(array(">i2", "\x91\x02", "abcd"), "newbyteorder('<')");
  refuses(array("<u2", "\x91\x02", "abcd"), "found the dtype '<u2'");
  refuses(array("<i2", "\x91\x03", "abcd"), "found 4 bytes of elements, expected 6");
  refuses(array("<i2", "\x91\xff", "abcd"), "the integer -1, expected the size of a dimension");
  const std::string most("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff", 9);
  refuses(array("<i2", "\x92" + most + most, "abcd"), "expected fewer than 2^63");
  refuses(array("<i2", "\x99" + std::string(9, '\1'), "ab"), "9 dimensions");
}

TEST_CASE("msgpack: a deep message does not fill the stack") {
  refuses(std::string(1 << 20, '\x91') + "\x01", "in a list");
  refuses("\x81\xa1x" + std::string(1 << 20, '\x91') + "\x01", "in a list");
}

TEST_CASE("msgpack: what is written is read again") {
  using namespace containers;
  const std::vector<Named> point = {{"", values_of<float>(kFloat32, {1, 2, 3, 4}, {2, 2})},
                                    {"", scalar_of<int64_t>(kInt64, -5)},
                                    {"", bytes_of(std::string_view("\0x", 2))}};
  const std::string text = msgpack::text_of(point);
  const std::vector<Named> again = msgpack::parse_point(text, "m");
  REQUIRE(again.size() == point.size());
  for (size_t i = 0; i < point.size(); ++i) {
    CHECK(facts(again[i]) == facts(point[i]));
    CHECK(again[i].component.bytes() == point[i].component.bytes());
  }
  const std::string map =
      msgpack::text_of(std::vector<Named>{{"x", bytes_of("1")}, {"y", bytes_of("2")}});
  CHECK(msgpack::parse_point(map, "m")[1].name == "y");
  const std::vector<std::string> keys = {"00000000", "00000001"};
  CHECK(msgpack::parse_keys(msgpack::text_of(keys), "m") == keys);
}
