// mutation_test.cpp: damaged files and texts end in a value or an Error, never in a crash.
#include <cstring>
#include <random>

#include "plugins/elf.hpp"
#include "plugins/metadata.hpp"
#include "support.hpp"

using namespace broch::plugins;

namespace {

constexpr int kMutations = 100000;
constexpr unsigned kSeed = 20260101;

using Random = std::mt19937_64;

uint64_t below(Random& random, uint64_t end) { return random() % end; }

// Values at which range checks go wrong, at any place and of any width.
void damage(std::vector<std::byte>& bytes, Random& random) {
  static const uint64_t values[] = {0,
                                    1,
                                    7,
                                    0x7f,
                                    0xff,
                                    0xffff,
                                    0x7fffffff,
                                    0xffffffff,
                                    uint64_t{1} << 62,
                                    ~uint64_t{0} - 7,
                                    ~uint64_t{0}};
  if (bytes.empty()) return;
  if (below(random, 16) == 0) bytes.resize(below(random, bytes.size()) + 1);
  const uint64_t value = below(random, 2) ? values[below(random, std::size(values))] : random();
  const uint64_t width = std::min<uint64_t>(uint64_t{1} << below(random, 4), bytes.size());
  // Half of the damage goes to the headers, which are a small part of the file.
  const uint64_t reach = below(random, 2) ? bytes.size() : std::min<uint64_t>(bytes.size(), 1024);
  const uint64_t at = below(random, std::max<uint64_t>(reach - std::min(reach, width), 1));
  std::memcpy(bytes.data() + at, &value, width);
}

// True when the action gave a value; any other exception than Error fails the test.
template <class Action>
bool survives(int round, Action action) {
  try {
    action();
    return true;
  } catch (const broch::base::Error& error) {
    if (error.exit() != broch::base::Exit::plugin) FAIL("round " << round << ": " << error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("mutation: 100,000 damaged libraries are read or refused") {
  Random random(kSeed);
  int values = 0;
  for (const char* name : {"good", "no_section"}) {
    const auto whole = support::read_bytes(support::fixture(name));
    REQUIRE(!whole.empty());
    for (int round = 0; round < kMutations / 2; ++round) {
      auto bytes = whole;
      for (uint64_t n = below(random, 3) + 1; n > 0; --n) damage(bytes, random);
      values += survives(
          round, [&bytes] { parse_metadata(read_elf(Bytes(bytes, "x.so")).metadata, "x.so"); });
    }
  }
  MESSAGE(values << " of " << kMutations << " were read, seed " << kSeed);
  CHECK(values > 0);
  CHECK(values < kMutations);
}

TEST_CASE("mutation: 100,000 damaged metadata texts are read or refused") {
  const auto library = support::read_bytes(support::fixture("good"));
  const std::string text = read_elf(Bytes(library, "x.so")).metadata.at(0);
  static const std::string tokens = "{}[]\",:\\0123456789.eE+-truefalsn/ \x01\x7f\xc3\xff";
  Random random(kSeed);
  int values = 0;
  for (int round = 0; round < kMutations; ++round) {
    std::string damaged = text;
    for (uint64_t n = below(random, 3) + 1; n > 0; --n) {
      const size_t at = below(random, damaged.size());
      const char token = tokens[below(random, tokens.size())];
      const uint64_t kind = below(random, 4);
      if (kind == 0) damaged[at] = token;
      if (kind == 1) damaged.insert(at, 1, token);
      if (kind == 2) damaged.erase(at, below(random, 4) + 1);
      if (kind == 3) damaged.insert(at, damaged.substr(below(random, damaged.size()), 40));
    }
    values += survives(round, [&damaged] { parse_metadata({damaged}, "x.so"); });
  }
  MESSAGE(values << " of " << kMutations << " were read, seed " << kSeed);
  CHECK(values > 0);
  CHECK(values < kMutations);
}
