// growth_test.cpp: 100,000 steps occupy no more memory than 10,000.
#include <doctest/doctest.h>

#include <sstream>

#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

constexpr int64_t kEpoch = 10'000, kEpochs = 10;
constexpr int64_t kSlack = 512 << 10;  // bytes: what a thread or a log takes now and then

Json probe(const std::vector<std::string>& names, int64_t every) {
  return {{"use", "conformance.probe"}, {"with", {{"names", names}, {"every", every}}}};
}

Json manifest(const Json& dataflow, const std::string& level) {
  return {{"broch", 1},
          {"seed", 7},
          {"plugins", {MEMORY, LENGTHS, PROBE}},
          {"model", {{"use", "recorded.rows"}}},
          {"optimizer", {{"use", "momentum"}, {"with", {{"learning_rate", 1e-3}}}}},
          {"dataflow", dataflow},
          {"callbacks", Json::array({{{"use", "recorded.memory"}}})},
          {"monitors", {"json-writer"}},
          {"runtime", {{"threads", 1}, {"level", level}}},
          {"steps_per_epoch", kEpoch},
          {"max_epoch", kEpochs}};
}

std::vector<int64_t> resident_bytes(const std::string& log) {
  const std::string words = "resident bytes: ";
  std::vector<int64_t> found;
  for (size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1))
    found.push_back(std::stoll(log.substr(at + words.size())));
  return found;
}

// settled: the epoch after which no memory is to be added, from 0.
Outcome check_growth(const Json& manifest, size_t settled = 0) {
  const Outcome found = outcomes(manifest, {"auto"}).at("auto");
  INFO(found.talk);
  REQUIRE(found.exit_code == 0);
  const std::vector<int64_t> bytes = resident_bytes(found.log);
  REQUIRE(bytes.size() == kEpochs);
  std::ostringstream all;
  for (const int64_t one : bytes) all << one << ' ';
  INFO(all.str());
  CHECK(bytes.back() - bytes[settled] < kSlack);
  CHECK_FALSE(stays_eager(found.log, ""));
  return found;
}

Json lengths(const std::vector<int64_t>& rows) {
  return {{"use", "conformance.lengths"}, {"with", {{"rows", rows}, {"size", kEpoch}}}};
}

}  // namespace

TEST_CASE("growth: 100,000 steps of one program occupy no more memory than 10,000") {
  for (const char* level : {"bitwise", "fast"}) {
    CAPTURE(level);
    const Outcome found = check_growth(manifest(lengths({8}), level));
    CHECK(cli_harness::count(found.log, kRecorded) == 1);
  }
}

// More shapes than recordings are kept and more sets of outputs than executables, again and again.
// Each is of use for a while, or it would not be recorded again. The heap they share takes two
// epochs to settle.
TEST_CASE("growth: 100,000 steps with programs that come and go occupy no more memory") {
  constexpr int64_t kShapes = 40, kTimes = 20;
  std::vector<int64_t> rows;
  for (int64_t shape = 0; shape < kShapes; ++shape) rows.insert(rows.end(), kTimes, 1 + shape);
  Json made = manifest(lengths(rows), "bitwise");
  int64_t every = 2;
  for (const char* name : {"first", "second", "third", "fourth"})
    made["callbacks"].push_back(probe({name}, every++));
  const Outcome found = check_growth(made, 1);
  CHECK(cli_harness::count(found.log, kRecorded) > 2 * kShapes);
}
