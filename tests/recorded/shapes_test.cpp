// shapes_test.cpp: batches of many shapes, some of which are recorded and some stay eager: a
// training that is continued anywhere makes the same of them.
#include <doctest/doctest.h>

#include <sstream>

#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

Json manifest(const std::vector<int64_t>& rows) {
  constexpr int kColumns = 48;  // sums long enough to be rounded in another order
  const Json data{{"rows", rows}, {"size", rows.size()}, {"columns", kColumns}};
  return {{"broch", 1},
          {"seed", 5},
          {"plugins", {MEMORY, LENGTHS}},
          {"model", {{"use", "recorded.rows"}, {"with", {{"columns", kColumns}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"dataflow", {{"use", "conformance.lengths"}, {"with", data}}},
          {"callbacks", {"model-saver"}},
          {"monitors", {"json-writer"}},
          {"steps_per_epoch", 3}};
}

void check_shapes(const std::vector<int64_t>& rows, int epochs) {
  std::vector<std::string> told;
  std::istringstream lines(check_continued(manifest(rows), epochs));
  for (std::string line; std::getline(lines, line);)
    if (cli_harness::count(line, "new shapes stay eager")) told.push_back(line);
  REQUIRE(told.size() == 1);
  CHECK(cli_harness::count(told[0], "warning") == 1);
}

}  // namespace

TEST_CASE("shapes: many new ones in a row are the same ones when the training is continued") {
  std::vector<int64_t> rows;
  for (int64_t i = 1; i <= 12; ++i) rows.push_back(i);
  check_shapes(rows, 7);
}

TEST_CASE("shapes: what is new only now and then is counted the same in a continued training") {
  check_shapes({3, 4, 3, 5, 6, 7, 8, 9, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, 8);
}
