// mutation_test.cpp: damaged bytes end in components or an Error, never in a crash.
#include <random>

#include "containers/datum.hpp"
#include "containers/example.hpp"
#include "containers/lmdb_file.hpp"
#include "containers/tar_index.hpp"
#include "containers/tfrecord.hpp"
#include "msgpack/point.hpp"
#include "support.hpp"

using namespace broch::archive;
using namespace containers;
using support::good;

namespace {

constexpr int kMutations = 50000;
constexpr unsigned kSeed = 20260801;

using Read = std::function<void(const std::string&)>;

void damage(std::string& bytes, std::mt19937_64& random) {
  if (bytes.empty()) return;
  const size_t at = random() % bytes.size();
  switch (random() % 6) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes.erase(at, random() % 4 + 1);
      break;
    case 2:
      bytes.insert(at, 1, char(random()));
      break;
    case 3:
      bytes[at] = "\x7f\xff\x80\x01"[random() % 4];
      break;
    default:
      bytes[at] = char(bytes[at] ^ 1 << random() % 8);
  }
}

// Reads whole, which must succeed, and then damaged copies of it.
void mutate(const std::string& whole, const Read& read) {
  read(whole);
  std::mt19937_64 random(kSeed);
  int refused = 0;
  for (int round = 0; round < kMutations; ++round) {
    CAPTURE(round);
    std::string bytes = whole;
    for (uint64_t n = random() % 3 + 1; n > 0; --n) damage(bytes, random);
    const std::string message = support::refusal([&] { read(bytes); });
    refused += !message.empty();
    REQUIRE((message.empty() || message.find(", expected ") != std::string::npos));
  }
  MESSAGE(refused << " of " << kMutations << " were refused, seed " << kSeed);
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("mutation: tar archives and their indices") {
  const std::string whole = support::read_file(good("pax.tar")).substr(0, 7168);
  mutate(whole, [](const std::string& bytes) {
    const Memory memory(bytes, "a.tar");
    const TarIndex index = index_tar(memory);
    for (const TarIndex::Entry& entry : index.entries) memory.read(entry.offset, entry.size);
  });
  const std::string text = text_of(index_tar(Memory(whole, "a.tar")));
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < kMutations; ++round) {
    std::string bytes = text;
    damage(bytes, random);
    if (const auto index = parse_tar_index(bytes, whole.size())) REQUIRE(text_of(*index) == bytes);
  }
}

TEST_CASE("mutation: record files and examples") {
  const std::string whole = support::read_file(good("tensorflow.tfrecord"));
  mutate(whole, [](const std::string& bytes) {
    const Memory memory(bytes, "a.tfrecord");
    const std::vector<uint64_t> offsets = index_tfrecord(memory);
    for (size_t i = 0; i + 1 < offsets.size(); ++i) read_record(memory, offsets[i], offsets[i + 1]);
  });
  const Memory memory(whole, "a.tfrecord");
  const std::vector<uint64_t> offsets = index_tfrecord(memory);
  mutate(read_record(memory, 0, offsets[1]), [](const std::string& bytes) {
    const std::vector<FeatureOptions> wanted = {
        {"image", {}, {}}, {"label", {}, {}}, {"box", {}, {}}};
    const std::vector<Feature> found = parse_example(bytes, wanted, "a");
    for (size_t i = 0; i < wanted.size(); ++i) component_of(found[i], wanted[i], "a");
  });
}

TEST_CASE("mutation: data points in MessagePack") {
  for (const char* name : {"tensorpack", "named", "one"})
    mutate(support::read_file(good(std::string(name) + ".msgpack")),
           [](const std::string& bytes) { msgpack::parse_point(bytes, "a"); });
}

TEST_CASE("mutation: images of Caffe") {
  const std::string whole = support::read_file(good("caffe.lmdb"));
  const Memory memory(whole, "a.lmdb");
  const LmdbFile file(memory);
  const auto place = file.find("00000002_cat.jpg");
  REQUIRE(place);
  mutate(memory.read(place->offset, place->size),
         [](const std::string& bytes) { parse_datum(bytes, "a"); });
}
