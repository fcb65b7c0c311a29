// passes.cpp: the list of passes with a wrong one among them, which BROCH_MUTANT names. Linked into
// a copy of the LibTorch half that only tests open.
#define all_passes shipped_passes
#include "passes/src/passes.cpp"
#undef all_passes

#include <cstdlib>
#include <string_view>
#include <vector>

#include "mutants.hpp"

namespace broch::passes {
namespace {

std::vector<Pass> with_mutant() {
  const char* const name = std::getenv("BROCH_MUTANT");
  const Mutant* const mutant = find_mutant(name ? name : "");
  std::vector<Pass> passes;
  for (const Pass& pass : shipped_passes()) {
    passes.push_back(pass);
    if (mutant && mutant->after == std::string_view(pass.name))
      passes.push_back({"mutant", Level::bitwise, mutant->plant});
  }
  return passes;
}

}  // namespace

std::span<const Pass> all_passes() {
  static const std::vector<Pass> passes = with_mutant();
  return passes;
}

}  // namespace broch::passes
