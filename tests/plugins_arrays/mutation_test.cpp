// mutation_test.cpp: damaged files end in a column or an Error, never in a crash.
#include <algorithm>
#include <random>

#include "support.hpp"

using namespace arrays;

namespace {

constexpr int kMutations = 100000;
constexpr unsigned kSeed = 20260102;

using Random = std::mt19937_64;

uint64_t below(Random& random, uint64_t end) { return random() % end; }

// Replaces, inserts, removes and repeats bytes; tokens are those that the format is made of.
void damage(std::string& bytes, Random& random, const std::string& tokens) {
  if (bytes.empty()) return;
  // Half of the damage goes to the headers.
  const size_t reach = below(random, 2) ? bytes.size() : std::min<size_t>(bytes.size(), 80);
  const size_t at = below(random, reach);
  const char byte =
      below(random, 3) ? tokens[below(random, tokens.size())] : static_cast<char>(random());
  switch (below(random, 8)) {
    case 0:
      bytes.insert(at, 1, byte);
      break;
    case 1:
      bytes.erase(at, below(random, 4) + 1);
      break;
    case 2:
      bytes.insert(at, bytes.substr(below(random, bytes.size()), 20));
      break;
    case 3:
      bytes.resize(at);
      break;
    default:
      bytes[at] = byte;
  }
}

// True when a column came out; any other exception than Error fails the test.
bool survives(const std::string& bytes, const ColumnOptions& options) {
  try {
    const Table table = Table::parse(bytes, options.file, options.header);
    return take_column(table, options).bytes.size() > 0;
  } catch (const broch::Error& error) {
    REQUIRE(std::string(error.what()).find(", expected ") != std::string::npos);
    return false;
  }
}

void mutate(const std::vector<std::string>& names, const std::string& tokens) {
  Random random(kSeed);
  int values = 0;
  std::vector<std::string> whole;
  for (const std::string& name : names)
    whole.push_back(support::read_file(std::string(GOOD_DIR) + "/" + name));
  for (int round = 0; round < kMutations; ++round) {
    CAPTURE(round);
    std::string bytes = whole[size_t(round) % names.size()];
    for (uint64_t n = below(random, 3) + 1; n > 0; --n) damage(bytes, random, tokens);
    ColumnOptions options;
    options.file = names[size_t(round) % names.size()];
    options.header = options.file == "quoted.csv";
    options.missing = below(random, 2) == 0;
    if (below(random, 2)) options.element = kElements[below(random, std::size(kElements))].element;
    values += survives(bytes, options);
  }
  MESSAGE(values << " of " << kMutations << " were read, seed " << kSeed);
  CHECK(values > 0);
  CHECK(values < kMutations);
}

}  // namespace

TEST_CASE("mutation: 100,000 damaged .npy files are read or refused") {
  mutate({"f4.npy", "i8.npy", "b1.npy", "v2.npy", "v3.npy"}, "{}()'\",: \n\\<>|0123456789fiub\xff");
}

TEST_CASE("mutation: 100,000 damaged .csv files are read or refused") {
  mutate({"savetxt.csv", "quoted.csv", "open_end.csv"}, ",\"\r\n0123456789.eE+- nan\xff");
}
