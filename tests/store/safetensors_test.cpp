// safetensors_test.cpp: the bytes written, and what is refused on reading.
#include "store/safetensors.hpp"

#include <cstring>

#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;

namespace {

// A file of another program: length, JSON, data; no checksums.
std::string foreign(const std::string& json, const std::string& data = "") {
  const uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + json + data;
}

SafetensorsFile parse(const std::string& bytes) {
  return SafetensorsFile::parse(bytes_of(bytes), "file");
}

const std::string kOne = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";

}  // namespace

TEST_CASE("safetensors: what is written comes back, names, shapes, bytes and metadata") {
  const Folder folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> scalar{-7};
  const std::string flags("\1\0\1", 3);
  write_safetensors(folder / "a",
                    {{"flags", Dtype::boolean, {3}, bytes_of(flags)},
                     {"x/W", Dtype::f32, {2, 3}, bytes_of(values)},
                     {"step", Dtype::i64, {}, bytes_of(scalar)},
                     {"empty", Dtype::f16, {0, 4}, {}}},
                    {{"k\"ey", "välue\n"}});
  const SafetensorsFile file = SafetensorsFile::read(folder / "a");
  CHECK(file.has_checksums());
  CHECK(file.metadata() == Metadata{{"k\"ey", "välue\n"}});
  REQUIRE(file.tensors().size() == 4);
  const TensorView* const weights = file.find("x/W");
  REQUIRE(weights);
  CHECK(weights->dtype == Dtype::f32);
  CHECK(weights->shape == std::vector<int64_t>{2, 3});
  CHECK(std::ranges::equal(weights->bytes, bytes_of(values)));
  CHECK(file.find("empty")->bytes.empty());
  CHECK(std::ranges::equal(file.find("step")->bytes, bytes_of(scalar)));
  CHECK(file.find("x") == nullptr);
}

TEST_CASE("safetensors: a file without a tensor and without metadata is a file") {
  const Folder folder;
  write_safetensors(folder / "a", {}, {});
  CHECK(SafetensorsFile::read(folder / "a").tensors().empty());
}

TEST_CASE("safetensors: order is by element size, then name, data start at a multiple of 8") {
  const Folder folder;
  const std::vector<float> four(1);
  const std::vector<double> eight(1);
  const std::string one("x");
  write_safetensors(folder / "a",
                    {{"a", Dtype::u8, {1}, bytes_of(one)},
                     {"c", Dtype::f32, {}, bytes_of(four)},
                     {"b", Dtype::f32, {}, bytes_of(four)},
                     {"z", Dtype::f64, {}, bytes_of(eight)}},
                    {});
  const SafetensorsFile file = SafetensorsFile::read(folder / "a");
  std::string order;
  for (const TensorView& tensor : file.tensors()) order += tensor.name;
  CHECK(order == "zbca");
  uint64_t length = 0;
  std::memcpy(&length, read_file(folder / "a").data(), sizeof length);
  CHECK(length % 8 == 0);
}

TEST_CASE("safetensors: equal contents in another order give equal bytes") {
  const Folder folder;
  const std::vector<float> values{1, 2};
  const TensorView a{"a", Dtype::f32, {2}, bytes_of(values)};
  const TensorView b{"b", Dtype::f32, {1, 2}, bytes_of(values)};
  write_safetensors(folder / "1", {a, b}, {{"x", "1"}, {"y", "2"}});
  write_safetensors(folder / "2", {b, a}, {{"y", "2"}, {"x", "1"}});
  CHECK(read_file(folder / "1") == read_file(folder / "2"));
}

TEST_CASE("safetensors: data over several checksum chunks come back, and each chunk is watched") {
  const Folder folder;
  std::vector<uint32_t> many(900'000);  // 3.4 MiB
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<uint32_t>(i * 2654435761u);
  const std::string odd("odd");
  write_safetensors(
      folder / "a",
      {{"many", Dtype::u32, {900'000}, bytes_of(many)}, {"odd", Dtype::u8, {3}, bytes_of(odd)}},
      {});
  CHECK(
      std::ranges::equal(SafetensorsFile::read(folder / "a").find("many")->bytes, bytes_of(many)));
  std::string bytes = read_file(folder / "a");
  for (const size_t from_end : {size_t{1}, size_t{1'000'000}, size_t{3'000'000}}) {
    std::string damaged = bytes;
    damaged[damaged.size() - from_end] ^= 0x10;
    const std::string text = refusal(Exit::checkpoint, [&] { parse(damaged); });
    CHECK_MESSAGE(matches(text, "data from byte [0-9]+ on, at tensor 'many', has another checksum"),
                  text);
  }
}

TEST_CASE("safetensors: a file of another program is read without checksums") {
  const SafetensorsFile file = parse(foreign(kOne + "  ", "12345678"));
  CHECK_FALSE(file.has_checksums());
  CHECK(file.find("a")->shape == std::vector<int64_t>{2});
  CHECK(parse(foreign("{}")).tensors().empty());
  CHECK(parse(foreign(R"({"__metadata__":{"format":"pt"}})")).metadata().at("format") == "pt");
}

TEST_CASE("safetensors: complex128 is refused on reading with the list of what there is") {
  const std::string text = refusal(Exit::checkpoint, [] {
    parse(foreign(R"({"a":{"dtype":"C128","shape":[1],"data_offsets":[0,16]}})",
                  std::string(16, 'x')));
  });
  CHECK_MESSAGE(matches(text, "dtype 'C128', expected BOOL, .*C64, F64"), text);
}

TEST_CASE("safetensors: tensors of types that no tensor here has are left out") {
  const std::string header = R"({"a":{"dtype":"F8_E8M0","shape":[3],"data_offsets":[0,3]},)"
                             R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]},)"
                             R"("c":{"dtype":"F4","shape":[2,2],"data_offsets":[4,6]},)"
                             R"("d":{"dtype":"F6_E3M2","shape":[4],"data_offsets":[6,9]}})";
  const SafetensorsFile file = parse(foreign(header, std::string(9, '\x7')));
  REQUIRE(file.tensors().size() == 1);
  CHECK(file.tensors()[0].name == "b");
  CHECK(file.others() == std::vector<std::string>{"a", "c", "d"});
  CHECK(file.find("a") == nullptr);
  const std::string wide = R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,2]}})";
  const std::string text = refusal(Exit::checkpoint, [&] { parse(foreign(wide, "xx")); });
  CHECK_MESSAGE(matches(text, "tensor 'a' has bytes 0-2, expected 1 bytes"), text);
}

TEST_CASE("safetensors: sizes that overflow are refused, even next to a zero") {
  for (const char* shape :
       {"[4294967296,4294967296,4294967296]", "[9223372036854775807,9223372036854775807,0]"}) {
    const std::string json =
        std::string(R"({"a":{"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,0]}})";
    const std::string text = refusal(Exit::checkpoint, [&] { parse(foreign(json)); });
    CHECK_MESSAGE(matches(text, "more than 2\\^63 bytes"), text);
  }
}

TEST_CASE("safetensors: a deep header is refused at its third level, not followed") {
  const std::string text =
      refusal(Exit::checkpoint, [] { parse(foreign("{\"a\":" + std::string(5'000'000, '['))); });
  CHECK_MESSAGE(matches(text, "'a' is an array, expected an object"), text);
}

TEST_CASE("safetensors: the writer refuses what the reader would, and keeps the old file") {
  const Folder folder;
  const std::vector<float> two(2);
  const auto write = [&](std::vector<TensorView> tensors) {
    return refusal(Exit::data, [&] { write_safetensors(folder / "a", tensors, {}); });
  };
  write_file(folder / "a", "old");
  const TensorView good{"a", Dtype::f32, {2}, bytes_of(two)};
  CHECK(matches(write({good, good}), "two tensors 'a', expected unique names"));
  CHECK(matches(write({{"a", Dtype::f32, {3}, bytes_of(two)}}), "tensor 'a' comes with 8 bytes"));
  CHECK(matches(write({{"a", Dtype::f32, {-1}, {}}}), "comes with 0 bytes"));
  CHECK(
      matches(write({{"a", Dtype::f32, {1, 1, 1, 1, 1, 1, 1, 1, 2}, bytes_of(two)}}), "8 dimens"));
  CHECK(matches(write({{"__metadata__", Dtype::f32, {2}, bytes_of(two)}}), "not reserved"));
  CHECK(matches(write({{"\xff", Dtype::f32, {2}, bytes_of(two)}}), "expected UTF-8"));
  CHECK(read_file(folder / "a") == "old");
  CHECK(list(folder.path()) == std::vector<std::string>{"a"});
}

TEST_CASE("safetensors: another program that keeps our checksums but changes the file is noticed") {
  const Folder folder;
  const std::vector<float> two(2);
  write_safetensors(folder / "a", {{"a", Dtype::f32, {2}, bytes_of(two)}}, {});
  std::string bytes = read_file(folder / "a");
  bytes.replace(bytes.find("\"a\":"), 4, "\"b\":");
  const std::string text = refusal(Exit::checkpoint, [&] { parse(bytes); });
  CHECK_MESSAGE(matches(text, "the header has another checksum"), text);
}
