// wrappers.hpp: what can wrap an update rule in a manifest.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "optimizer/json_options.hpp"
#include "optimizer/optimizer_spec.hpp"

namespace broch::optimizer {

struct Wrapper {
  const char* name;
  const char* summary;
  nlohmann::json properties, required;
  // Called from the outermost wrapper to the innermost.
  void (*read)(OptimizerSpec& spec, JsonOptions& with);
};

const std::vector<Wrapper>& wrappers();
// Finds a wrapper by id; nullptr: there is none.
const Wrapper* wrapper_of(const std::string& use);

// From "adam" to "broch.optimizer.adam".
std::string optimizer_id(const char* name);

}  // namespace broch::optimizer
