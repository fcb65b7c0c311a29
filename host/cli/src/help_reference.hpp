// help_reference.hpp: topics of help that are made from what the program checks and understands.
#pragma once
#include <string>

namespace broch::cli {

// Every key of a manifest, then those of a component entry.
std::string manifest_reference();
// The words of the language of expressions.
std::string expression_reference();

}  // namespace broch::cli
