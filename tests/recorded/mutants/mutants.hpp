// mutants.hpp: rewrites as a wrong pass would make them.
#pragma once
#include <string_view>

#include "passes/passes.hpp"

namespace broch::passes {

struct Mutant {
  std::string_view name;
  std::string_view after;  // pass that it follows
  size_t (*plant)(Program&);
};

const Mutant* find_mutant(std::string_view name);

}  // namespace broch::passes
