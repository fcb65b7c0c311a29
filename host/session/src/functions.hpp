// functions.hpp: the options of a component that are functions given as expressions.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"

namespace broch::session {

struct FunctionOption {
  std::string pointer;           // in the options: "/value_func"
  const manifest::Value* value;  // the text; lives in the component
};

// Where the options schema says "x-broch-function" and a string or a number stands.
std::vector<FunctionOption> find_functions(const manifest::Component& component,
                                           const manifest::Catalog& catalog);

}  // namespace broch::session
