// help_texts.hpp: the files of docs/help, which are part of the program.
#pragma once
#include <string>

namespace broch::cli {

// The text of docs/help/NAME.txt. REQUIRES: there is such a file.
std::string help_text(const std::string& name);

}  // namespace broch::cli
