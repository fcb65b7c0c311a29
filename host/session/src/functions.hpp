// functions.hpp: finds options of a component that are functions, given as expressions.
#pragma once
#include <string>
#include <vector>

#include "manifest/component.hpp"

namespace broch::session {

struct FunctionOption {
  std::string pointer;           // within the options, such as "/value_func"
  const manifest::Value* value;  // the expression; part of the component
};

// The options whose schema has "x-broch-function" and whose value is a string or a number.
std::vector<FunctionOption> find_functions(const manifest::Component& component,
                                           const manifest::Catalog& catalog);

}  // namespace broch::session
