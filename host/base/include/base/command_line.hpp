// command_line.hpp: how this process was started.
#pragma once
#include <string>
#include <vector>

namespace broch::base {

std::vector<std::string> command_words();
// One word of a command, quoted for a shell where it needs that.
std::string quoted_for_shell(const std::string& word);
// The words of the command line, quoted for a shell where they need it. "" if it is unknown.
std::string command_line();

}  // namespace broch::base
