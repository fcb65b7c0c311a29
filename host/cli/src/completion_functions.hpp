// completion_functions.hpp: what a shell loads.
//
// A function hands over the words up to the one that is being typed to broch __complete and gets
// candidates, one a line; ":json" and ":files" stand for names of files, which shells complete
// better. Behind a candidate that ends in = or / something is still to come.
#pragma once
#include <string>

namespace broch::cli {

// REQUIRES: bash, zsh or fish.
const char* completion_function(const std::string& shell);

}  // namespace broch::cli
