// help_topics.hpp: what is not about one command; the one place of these texts.
#pragma once
#include <string>
#include <vector>

namespace broch::cli {

struct HelpTopic {
  std::string name;     // "exit-codes"
  std::string heading;  // of the manual page: "EXIT STATUS"
  std::string about;    // a line for the list of topics
  std::string text;     // lines of at most 80 characters, shown as they are
};

const std::vector<HelpTopic>& help_topics();

}  // namespace broch::cli
