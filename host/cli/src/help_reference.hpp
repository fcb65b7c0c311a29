// help_reference.hpp: parts of help topics, made from the schemas and tables of the room manifest.
#pragma once
#include <string>

namespace broch::cli {

// All keys of a manifest, then those of a component's entry.
std::string manifest_reference();
// The variables, functions and operators of expressions.
std::string expression_reference();

}  // namespace broch::cli
