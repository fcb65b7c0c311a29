// fuzz_test.cpp: random programs as towers, eagerly and recorded with some of the passes: equal
// bits, or the seed is printed. Without towers around them: tests/compiler_fuzz.
//
// The same eight each time; with BROCH_FUZZ_SECONDS as many as fit into that time, from seed
// BROCH_FUZZ_SEED (default 1) on. A seed that failed is kept in fuzz_seeds.txt, which is always
// tried.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <iostream>

#include "recorded/modes.hpp"
#include "support/environment.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

constexpr int kOperations = 60, kPublished = 16;

struct Fuzz {
  int64_t seed;
  int operations = kOperations;
  bool planted = false;
};

// One program after the other goes through all subsets of them.
Json left_out(int64_t seed) {
  constexpr const char* kPasses[] = {"pointwise", "fold",    "views",           "prune",
                                     "sgemm",     "pooling", "batch-norm-exact"};
  Json names = Json::array();
  for (size_t i = 0; i < std::size(kPasses); ++i)
    if (seed >> i & 1) names.push_back(kPasses[i]);
  return names;
}

Json fuzz_manifest(const Fuzz& fuzz) {
  const int64_t rows = 1 + fuzz.seed % 5, columns = 2 + fuzz.seed % 3;
  const Json point{{"shape", {rows, columns}}, {"low", -1}, {"name", "x"}};
  Json fetched{"cost", "W", "V", "b", "state"};
  for (int i = 0; i < kPublished; ++i) fetched.push_back("v" + std::to_string(i));
  return {{"broch", 1},
          {"seed", fuzz.seed},
          {"plugins", {FUZZED, PROBE}},
          {"model",
           {{"use", "recorded.fuzzed"},
            {"with",
             {{"seed", fuzz.seed},
              {"operations", fuzz.operations},
              {"rows", rows},
              {"columns", columns},
              {"planted", fuzz.planted}}}}},
          {"optimizer", {{"use", "momentum"}, {"with", {{"learning_rate", 0.01}}}}},
          {"dataflow",
           {{"use", "fake"}, {"with", {{"size", 10}, {"components", Json::array({point})}}}}},
          {"callbacks", Json::array({{{"use", "conformance.probe"}, {"with", {{"names", fetched}}}},
                                     {{"use", "model-saver"}, {"when", {{"every_k_epochs", 3}}}}})},
          {"monitors", Json::array()},
          {"runtime", {{"level", "bitwise"}, {"disabled_passes", left_out(fuzz.seed)}}},
          {"max_epoch", 3}};
}

std::map<std::string, Outcome> run(const Fuzz& fuzz) {
  return outcomes(fuzz_manifest(fuzz), {"eager", "auto"});
}

bool agree(const std::map<std::string, Outcome>& found) {
  const Outcome &eager = found.at("eager"), &replayed = found.at("auto");
  return eager.exit_code == 0 && replayed.exit_code == 0 && eager.probe == replayed.probe &&
         eager.saved == replayed.saved;
}

// The fewest operations that still fail: a program's first operations do not depend on its length.
int shortest(Fuzz fuzz) {
  while (fuzz.operations > 0) {
    --fuzz.operations;
    if (agree(run(fuzz))) return fuzz.operations + 1;
  }
  return 0;
}

// Whether it was replayed.
bool check(const Fuzz& fuzz) {
  auto found = run(fuzz);
  if (!agree(found)) {
    const int operations = shortest(fuzz);
    INFO("seed ", fuzz.seed, " fails with ", operations, " operations without passes ",
         left_out(fuzz.seed).dump(), "; keep it in fuzz_seeds.txt");
    found = run({fuzz.seed, operations, fuzz.planted});
    check_equal(found.at("eager"), found.at("auto"));
  }
  return cli_harness::count(found.at("auto").log, kRecorded) > 0;
}

}  // namespace

TEST_CASE("fuzz: programs that failed once have the bits of the eager step") {
  std::ifstream seeds(SEEDS);
  REQUIRE(seeds.good());
  for (int64_t seed = 0; seeds >> seed;) check({seed});
}

TEST_CASE("fuzz: random programs have the bits of the eager step") {
  using Clock = std::chrono::steady_clock;
  constexpr int64_t kPrograms = 8;
  const int64_t seconds = from_environment("BROCH_FUZZ_SECONDS", 0);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  int64_t seed = from_environment("BROCH_FUZZ_SEED", 1), tried = 0, replayed = 0;
  for (; seconds ? Clock::now() < end : tried < kPrograms; ++seed, ++tried)
    replayed += check({seed});
  std::cout << "fuzz: " << tried << " programs, " << replayed << " replayed, the next seed is "
            << seed << "\n";
  CHECK(replayed == tried);
}

TEST_CASE("fuzz: a number that changes behind the host's back is found by verification") {
  for (const int64_t seed : {3, 17, 91}) {
    CAPTURE(seed);
    const auto found = run({seed, kOperations, true});
    check_equal(found.at("eager"), found.at("auto"));
    CHECK(stays_eager(found.at("auto").log, ""));
  }
}
