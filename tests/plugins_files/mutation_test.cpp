// mutation_test.cpp: damaged files are read or refused, and never crash.
#include <archive/zip.hpp>
#include <random>

#include "datasets/labelled_images.hpp"
#include "files/csv.hpp"
#include "files/npy_array.hpp"
#include "files/svmlight.hpp"
#include "support.hpp"

using namespace support;

namespace {

constexpr int kMutations = 20000;
constexpr unsigned kSeed = 20260103;

// Truncates, or flips bits, replaces, inserts and removes bytes.
std::string damaged(std::string bytes, std::mt19937_64& random) {
  for (uint64_t n = random() % 3 + 1; n > 0 && !bytes.empty(); --n) {
    const size_t at =
        random() % (random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 200));
    switch (random() % 6) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.insert(at, 1, char(random()));
        break;
      case 2:
        bytes.erase(at, random() % 4 + 1);
        break;
      case 3:
        bytes[at] = char(random() % 2 ? 0xff : 0);
        break;
      default:
        bytes[at] = char(bytes[at] ^ 1 << random() % 8);
    }
  }
  return bytes;
}

// read throws Error, which says what was expected, or returns.
void mutate(const std::string& bytes, const std::function<void(const std::string&)>& read) {
  std::mt19937_64 random(kSeed);
  int good = 0;
  for (int round = 0; round < kMutations; ++round) {
    CAPTURE(round);
    const std::string text = refusal([&] { read(damaged(bytes, random)); });
    CAPTURE(text);
    if (!text.empty()) REQUIRE(text.find(", expected ") != std::string::npos);
    good += text.empty();
  }
  MESSAGE(good << " of " << kMutations << " were read, seed " << kSeed);
  CHECK(good < kMutations);
}

void copy_all(const files::NpyArray& array) {
  std::string row(array.row_bytes(), '\0');
  for (uint64_t i = 0; i < array.rows(); ++i) array.copy_row(i, row.data());
}

}  // namespace

TEST_CASE("mutation: .npy and .npz files") {
  for (const char* name : {"fortran_4.npy", "u4_big.npy"})
    mutate(read_file(good(name)),
           [](const std::string& bytes) { copy_all(files::NpyArray::parse(bytes, "a")); });
  for (const char* name : {"stored.npz", "packed.npz"})
    mutate(read_file(good(name)), [](const std::string& bytes) {
      const broch::archive::Memory file(bytes, "a");
      for (const broch::archive::ZipMember& member : broch::archive::zip_members(file))
        copy_all(files::NpyArray::parse(member.deflated ? broch::archive::unpack(file, member)
                                                        : file.read(member.begin, member.packed),
                                        "a"));
    });
}

TEST_CASE("mutation: .csv files") {
  files::CsvComponent numbers{{"price", "count"}}, words{{"kind"}, files::CsvType::category};
  numbers.missing = words.missing = files::CsvMissing::drop;
  files::CsvFormat format;
  format.threads = 1;
  mutate(read_file(good("table.csv")), [&](const std::string& bytes) {
    files::read_csv(bytes, "a", format, {numbers, words});
  });
}

TEST_CASE("mutation: .mat files") {
  for (const char* name : {"digits.mat", "digits_packed.mat"})
    mutate(read_file(good(name)), [](const std::string& bytes) {
      const datasets::LabelledImages images = datasets::parse_svhn(bytes, "a");
      std::string image(images.image_bytes(), '\0');
      for (uint64_t i = 0; i < images.count(); ++i)
        images.copy_image(i, i % 2 == 0, reinterpret_cast<uint8_t*>(image.data()));
    });
}

TEST_CASE("mutation: sparse rows") {
  mutate("1 1:0.5 3:-2e3 # tail\n-1.5 qid:4 2:+1\n0 7:1 8:2 9:3\n",
         [](const std::string& text) { files::parse_svmlight(text, 1, "a"); });
}
