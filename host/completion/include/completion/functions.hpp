// functions.hpp: the functions that shells load for completion.
//
// A function passes the words up to the cursor to broch __complete, which prints one candidate per
// line. ":json" and ":files" stand for file names, which shells complete better. After a candidate
// that ends in = or /, the word continues.
#pragma once
#include <string>

namespace broch::completion {

// shell: bash, zsh or fish.
const char* function_for(const std::string& shell);

}  // namespace broch::completion
