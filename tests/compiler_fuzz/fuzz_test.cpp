// fuzz_test.cpp: random programs compute what the eager step computes, whatever passes are left out
// and whatever is read of them.
//
// The same 500 programs each time; with BROCH_FUZZ_SECONDS as many as fit into that time, from seed
// BROCH_FUZZ_SEED (default 1) on. A seed that failed is kept in seeds.txt, which is always tried.
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "comparison.hpp"
#include "support/environment.hpp"
#include "tensors.hpp"

using namespace broch;
using namespace broch::programs;

namespace {

// Every other program goes through both levels.
Case case_of(int64_t seed) {
  Case of;
  of.seed = seed;
  of.smooth = seed % 2 != 0;
  of.operations = 1 + static_cast<int>(seed % 20);
  return of;
}

// "" or what is different; errors are differences, too.
std::string difference(const Case& of, const Compilation& compilation, bool shows = false) {
  try {
    Comparison comparison(of);
    if (!comparison.refusal().empty()) return "";
    const std::string found = comparison.difference(compilation);
    if (shows) std::cout << comparison.text() << "\n";
    return found;
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Leaves out what is not needed to fail: operations first, then passes.
void shrink(Case& of, Compilation& compilation) {
  for (int i = of.operations; i-- > 0;) {
    of.without.insert(i);
    if (difference(of, compilation).empty()) of.without.erase(i);
  }
  for (const std::string& pass : runtime::backend().passes()) {
    const bool added = compilation.without.insert(pass).second;
    if (added && difference(of, compilation).empty()) compilation.without.erase(pass);
  }
}

void report(Case of, Compilation compilation) {
  const std::string as_found = text_of(compilation);
  shrink(of, compilation);
  std::ostringstream kept;
  for (int i = 0; i < of.operations; ++i)
    if (!of.without.contains(i)) kept << ' ' << i;
  FAIL_CHECK("seed ", of.seed, " (", as_found, ") fails; add it to seeds.txt. Enough: operations",
             kept.str(), "; ", text_of(compilation), ": ", difference(of, compilation, true));
}

// Autograd adds two of the zeros without memory that the second derivative of abs is made of, by
// way of a tensor that has no memory either: such a tower stays eager.
bool is_known(const std::string& refusal) {
  return refusal == "operator aten::to.dtype_layout makes a tensor without plain memory";
}

struct Tried {
  int programs = 0, compiled = 0, refused = 0;
};

void check(int64_t seed, Tried& tried) {
  const Case of = case_of(seed);
  ++tried.programs;
  Comparison comparison(of);
  if (!comparison.refusal().empty()) {
    ++tried.refused;
    if (!is_known(comparison.refusal()))
      FAIL_CHECK("seed ", seed, " cannot be recorded: ", comparison.refusal());
    return;
  }
  for (const Compilation& compilation : compilations(of)) {
    ++tried.compiled;
    std::string found;
    try {
      found = comparison.difference(compilation);
    } catch (const std::exception& error) {
      found = error.what();
    }
    if (!found.empty()) return report(of, compilation);
  }
}

}  // namespace

TEST_CASE("programs: those that failed once compute what the eager step computes") {
  std::ifstream seeds(SEEDS);
  REQUIRE(seeds.good());
  Tried tried;
  for (int64_t seed = 0; seeds >> seed;) check(seed, tried);
}

TEST_CASE("programs: random ones compute what the eager step computes with any passes") {
  using Clock = std::chrono::steady_clock;
  constexpr int kPrograms = 500;
  const int64_t seconds = from_environment("BROCH_FUZZ_SECONDS", 0);
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  int64_t seed = from_environment("BROCH_FUZZ_SEED", 1);
  Tried tried;
  for (; seconds ? Clock::now() < end : tried.programs < kPrograms; ++seed) check(seed, tried);
  std::cout << "programs: " << tried.programs << " tried, " << tried.compiled << " compilations, "
            << tried.refused << " not recorded, the next seed is " << seed << "\n";
  CHECK(tried.refused <= 1 + tried.programs / 1000);
}
