// help_topics.hpp: help that does not belong to one command, for broch help and the manual page.
#pragma once
#include <string>
#include <vector>

namespace broch::cli {

struct HelpTopic {
  std::string name;     // "exit-codes"
  std::string heading;  // in the manual page, such as "EXIT STATUS"
  std::string about;    // one line for the list of topics
  std::string text;     // lines of at most 80 characters, printed unchanged
};

const std::vector<HelpTopic>& help_topics();

}  // namespace broch::cli
