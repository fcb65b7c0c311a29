// opset_test.cpp: operators through their C++ wrappers, beside what PyTorch gives (expected.py).
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The same words, and numbers to within what two builds of LibTorch round differently.
bool agree(const std::string& found, const std::string& expected) {
  std::istringstream left(found), right(expected);
  std::string a, b;
  while (true) {
    const bool more = bool(left >> a);
    if (more != bool(right >> b)) return false;
    if (!more) return true;
    if (a == b) continue;
    char *end_a = nullptr, *end_b = nullptr;
    const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
    if (*end_a || *end_b || !(std::abs(x - y) <= 2e-6 * std::max(1.0, std::abs(y)))) return false;
  }
}

}  // namespace

TEST_CASE("opset: every wrapper calls its operator with its arguments") {
  const Folder folder;
  const std::string file = folder.path() / "found.txt";
  const Training training(folder, "run",
                          {{"broch", 1},
                           {"plugins", {OPSET}},
                           {"trainer", {{"use", "test.opset"}, {"with", {{"file", file}}}}},
                           {"steps_per_epoch", 1},
                           {"max_epoch", 1}});
  const int code = training.run();
  INFO(training.talk());
  REQUIRE(code == 0);
  const std::vector<std::string> found = lines_of(file), expected = lines_of(EXPECTED);
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(found[i]);
    CAPTURE(expected[i]);
    CHECK(agree(found[i], expected[i]));
  }
}
