// tfrecord_test.cpp: record files of TensorFlow, damaged ones, and our own.
#include "containers/tfrecord.hpp"

#include "containers/example.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;
using support::good;
using support::values;

namespace {

using Shape = std::vector<int64_t>;

const std::vector<FeatureOptions> kWanted = {
    {"image", Shape{2, 3, 1}, {}}, {"label", Shape{}, {}}, {"box", {}, {}}};

std::vector<Component> components(const std::string& record,
                                  const std::vector<FeatureOptions>& wanted) {
  const std::vector<Feature> found = parse_example(record, wanted, "a.tfrecord: byte 0");
  std::vector<Component> list;
  for (size_t i = 0; i < wanted.size(); ++i)
    list.push_back(component_of(found[i], wanted[i], "a.tfrecord: byte 0"));
  return list;
}

void check_refused(const std::string& bytes, const std::string& pattern) {
  const Memory memory(bytes, "a.tfrecord");
  support::check_refused(pattern, [&] {
    const std::vector<uint64_t> offsets = index_tfrecord(memory);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) read_record(memory, offsets[i], offsets[i + 1]);
  });
}

}  // namespace

TEST_CASE("tfrecord: examples of TensorFlow") {
  const File file(good("tensorflow.tfrecord"));
  const std::vector<uint64_t> offsets = index_tfrecord(file);
  REQUIRE(offsets.size() == support::kCount + 1);
  for (int64_t i = 0; i < support::kCount; ++i) {
    const std::string record = read_record(file, offsets[size_t(i)], offsets[size_t(i) + 1]);
    const std::vector<Component> found = components(record, kWanted);
    CHECK(values<uint8_t>(found[0]) == support::image(i));
    CHECK(found[0].shape == Shape{2, 3, 1});
    CHECK(values<int64_t>(found[1]) == std::vector<int64_t>{-i});
    CHECK(found[1].shape.empty());
    CHECK(values<float>(found[2]) == std::vector<float>{0.5, float(i), 2, 3});
    CHECK(found[2].shape == Shape{4});
  }
  const auto again = parse_tfrecord_index(text_of(offsets), file.size());
  REQUIRE(again);
  CHECK(*again == offsets);
  CHECK_FALSE(parse_tfrecord_index(text_of(offsets), file.size() + 1));
  CHECK_FALSE(parse_tfrecord_index(text_of(offsets) + "x", file.size()));
}

TEST_CASE("tfrecord: what is written is read again") {
  const support::Folder folder;
  TfrecordWriter writer(folder / "a.tfrecord");
  for (int64_t i = 0; i < 3; ++i)
    writer.add(example_of({{"label", scalar_of<int64_t>(kInt64, -i)},
                           {"box", values_of<float>(kFloat32, {1, 2}, {2})},
                           {"double", values_of<double>(kFloat64, {0.25, 1}, {2})},
                           {"text", bytes_of("abc")}}));
  writer.finish();
  const File file(folder / "a.tfrecord");
  const std::vector<uint64_t> offsets = index_tfrecord(file);
  REQUIRE(offsets.size() == 4);
  const std::string record = read_record(file, offsets[2], offsets[3]);
  const auto found = components(
      record, {{"label", {}, {}}, {"box", {}, {}}, {"double", {}, kFloat64}, {"text", {}, {}}});
  CHECK(values<int64_t>(found[0]) == std::vector<int64_t>{-2});
  CHECK(values<float>(found[1]) == std::vector<float>{1, 2});
  CHECK(values<double>(found[2]) == std::vector<double>{0.25, 1});
  CHECK(found[3].bytes() == "abc");
}

TEST_CASE("tfrecord: damaged and foreign files") {
  const std::string whole = support::read_file(good("tensorflow.tfrecord"));
  check_refused(whole.substr(0, whole.size() - 1), "cut short");
  check_refused(whole.substr(0, 7), "byte 0: found 7 bytes, expected the 12 bytes before");
  check_refused("\x1f\x8b" + whole, "byte 0: found a compressed file");
  check_refused(std::string(100, 'y'), "byte 0: found a length with a wrong checksum");
  std::string changed = whole;
  changed[20] ^= 1;
  check_refused(changed, "byte 0: found a record with a wrong checksum");
}

TEST_CASE("tfrecord: features that do not fit the options") {
  const File file(good("tensorflow.tfrecord"));
  const std::vector<uint64_t> offsets = index_tfrecord(file);
  const std::string record = read_record(file, offsets[0], offsets[1]);
  const auto refused = [&](const FeatureOptions& wanted, const std::string& pattern) {
    support::check_refused(pattern, [&] { components(record, {wanted}); });
  };
  refused({"none", {}, {}}, "feature 'none': found no value");
  refused({"image", Shape{7}, {}}, "found 6 elements, expected those of the shape \\[7\\]");
  refused({"image", {}, kInt64}, "found 6 bytes, expected a multiple of 8");
  refused({"label", {}, kInt64}, "found integers, expected a byte string");
  support::check_refused("byte \\d+ of the record: found .*tf.train.Example", [] {
    components("\x0a\x7fxyz", {{"a", {}, {}}});
  });
}
