// wrappers.hpp: what can wrap an update rule in a manifest.
#pragma once
#include <string>
#include <vector>

#include "optimizer/optimizer_spec.hpp"
#include "option_schema.hpp"
#include "options.hpp"

namespace broch::optimizer {

struct Wrapper {
  const char* name;
  const char* summary;
  Properties options;
  std::vector<std::string> required;
  // Called from the outermost wrapper to the innermost.
  void (*read)(OptimizerSpec& spec, Options& with);
};

const std::vector<Wrapper>& wrappers();
// Finds a wrapper by id; nullptr: there is none.
const Wrapper* wrapper_of(const std::string& use);

// From "adam" to "broch.optimizer.adam".
std::string optimizer_id(const char* name);

}  // namespace broch::optimizer
