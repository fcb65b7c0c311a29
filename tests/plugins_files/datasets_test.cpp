// datasets_test.cpp: the formats of the datasets, and where their files are searched for.
#include <zlib.h>

#include <archive/inflate.hpp>
#include <cstdlib>

#include "datasets/labelled_images.hpp"
#include "support.hpp"

using namespace support;
using namespace datasets;

namespace {

std::string big_endian(uint32_t number) {
  return {char(number >> 24), char(number >> 16), char(number >> 8), char(number)};
}

std::string idx(const std::vector<uint32_t>& shape, const std::string& data) {
  std::string bytes{0, 0, 8, char(shape.size())};
  for (const uint32_t extent : shape) bytes += big_endian(extent);
  return bytes + data;
}

std::string counting(size_t n) {
  std::string bytes;
  for (size_t i = 0; i < n; ++i) bytes += char(i * 7);
  return bytes;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 9, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = uInt(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string image(const LabelledImages& images, uint64_t i, bool planes) {
  std::string bytes(images.image_bytes(), '\0');
  images.copy_image(i, planes, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

}  // namespace

TEST_CASE("inflate: damage, limits, several members") {
  const std::string text = counting(100000), packed = gzip(text);
  const auto unpack = [](const std::string& bytes, uint64_t limit) {
    return broch::archive::inflate(bytes, broch::archive::Wrapping::gzip, limit, "g");
  };
  CHECK(unpack(packed, 100000) == text);
  CHECK(unpack(packed + packed, 1 << 20) == text + text);
  check_refusal([&] { unpack(packed, 99999); }, "more than 99999 unpacked bytes");
  check_refusal([&] { unpack(packed.substr(0, packed.size() - 1), 1 << 20); }, "end of the data");
  check_refusal([&] { unpack(packed + "x", 1 << 20); }, "g: packed byte");
  std::string damaged = packed;
  damaged[damaged.size() - 6] = char(damaged[damaged.size() - 6] ^ 1);
  check_refusal([&] { unpack(damaged, 1 << 20); }, "incorrect data check");
}

TEST_CASE("mnist: packed or not, and files that do not belong together") {
  const std::string pixels = idx({2, 3, 4}, counting(24)),
                    labels = idx({2}, std::string("\7\0", 2));
  const LabelledImages images = parse_mnist(pixels, "i", labels, "l");
  CHECK(images.labels == std::vector<int64_t>{7, 0});
  CHECK(images.height == 3);
  CHECK(images.width == 4);
  CHECK(image(images, 1, false) == counting(24).substr(12));
  CHECK(image(images, 1, true) == counting(24).substr(12));
  const auto wrong = [&](const std::string& i, const std::string& l, const char* pattern) {
    check_refusal([&] { parse_mnist(i, "i", l, "l"); }, pattern);
  };
  wrong(pixels + "x", labels, "i: byte 16: found 25 bytes of data, expected 24");
  wrong(labels, labels, "i: byte 0: found");
  wrong(pixels, idx({1}, "\1"), "l: found 1 labels, expected 2");
  wrong(pixels, idx({2}, "\1\12"), "l: image 1: found the label 10");
  wrong(pixels.substr(0, 9), labels, "a header of 16 bytes");
  wrong(idx({0xffffffff, 0xffffffff, 0xffffffff}, ""), labels, "i: byte 16");

  Folder folder;
  folder.write("train-images-idx3-ubyte.gz", gzip(pixels));
  folder.write("train-labels-idx1-ubyte", labels);
  const LabelledImages read = read_mnist(Place("mnist", folder.path(), false), "train");
  CHECK(image(read, 1, false) == counting(24).substr(12));
  check_refusal([&] { read_mnist(Place("mnist", folder.path(), true), "train"); },
                "bytes with the SHA-256 [0-9a-f]{64}, expected 9912422 bytes with 440fcabf");
  check_refusal([&] { read_mnist(Place("mnist", folder.path(), false), "test"); },
                "dataset mnist: found no t10k-images-idx3-ubyte.gz in .*expected the files .* from "
                "https://.*; run `broch data download mnist`");
}

TEST_CASE("cifar: planes and pixels, fine and coarse labels") {
  const std::string pixels = counting(3072);
  LabelledImages images;
  // The pixels stay where they are.
  const std::string two = "\3" + pixels + "\11" + pixels, one = "\2\77" + pixels;
  add_cifar(images, two, 1, false, 10, "c");
  CHECK(images.labels == std::vector<int64_t>{3, 9});
  CHECK(image(images, 1, true) == pixels);
  const std::string turned = image(images, 1, false);
  for (size_t i = 0; i < 3072; ++i) CHECK(turned[i] == pixels[i % 3 * 1024 + i / 3]);
  LabelledImages fine, coarse;
  add_cifar(fine, one, 2, false, 100, "c");
  add_cifar(coarse, one, 2, true, 20, "c");
  CHECK(fine.labels == std::vector<int64_t>{63});
  CHECK(coarse.labels == std::vector<int64_t>{2});
  CHECK(image(fine, 0, true) == pixels);
  const auto wrong = [&](const std::string& bytes, const char* pattern) {
    check_refusal([&] { add_cifar(images, bytes, 1, false, 10, "c"); }, pattern);
  };
  wrong(pixels, "found 3072 bytes, expected records of 3073");
  wrong("\12" + pixels, "c: image 0: found the label 10, expected 0 to 9");
  wrong("", "found 0 bytes");
}

TEST_CASE("svhn: what scipy wrote, packed or not") {
  const std::string expected = read_file(good("digits.bytes"));
  for (const char* file : {"digits.mat", "digits_packed.mat"}) {
    CAPTURE(file);
    const std::string bytes = read_file(good(file));
    const LabelledImages images = parse_svhn(bytes, file);
    CHECK(images.labels == std::vector<int64_t>{1, 0, 3, 9, 0, 2});
    for (uint64_t i = 0; i < 6; ++i) CHECK(image(images, i, false) == expected.substr(i * 60, 60));
    CHECK(image(images, 0, true)[1] == expected[3]);
  }
  check_refusal([] { parse_svhn("MATLAB 7.3", "s"); }, "version 5");
}

TEST_CASE("digits: every fifth line is for the test") {
  std::string text;
  for (int line = 0; line < 6; ++line) {
    for (int i = 0; i < 64; ++i) text += std::to_string((line + i) % 17) + ",";
    text += std::to_string(line) + "\n";
  }
  CHECK(parse_digits(text, true, "d").labels == std::vector<int64_t>{4});
  const LabelledImages train = parse_digits(text, false, "d");
  CHECK(train.labels == std::vector<int64_t>{0, 1, 2, 3, 5});
  CHECK(image(train, 4, false)[63] == (5 + 63) % 17);
  check_refusal([] { parse_digits("1,2\n", false, "d"); }, "d: line 1, column 2: found '2'");
  check_refusal([] { parse_digits("17,", false, "d"); }, "column 1");
}

TEST_CASE("catalog: every dataset has files with addresses") {
  for (const char* name : {"mnist", "fashion-mnist", "cifar10", "cifar100", "svhn", "digits"})
    for (const SourceFile& file : facts_of(name).files) {
      CAPTURE(file.name);
      CHECK(file.url.ends_with(file.name));
      REQUIRE(!file.sha256.empty());
      for (const std::string& sum : file.sha256) CHECK(sum.size() == 64);
    }
}

TEST_CASE("fashion-mnist: the files of the Debian package") {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist")) {
    MESSAGE("skipped: the package dataset-fashion-mnist is not installed");
    return;
  }
  const LabelledImages images =
      read_mnist(Place("fashion-mnist", "/usr/share/datasets/fashion-mnist", true), "test");
  CHECK(images.count() == 10000);
  CHECK(images.labels[0] == 9);  // an ankle boot
}
