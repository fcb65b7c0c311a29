// help_topics.cpp: the help topics. Their texts are the files of docs/help.
#include "help_topics.hpp"

#include "help_reference.hpp"
#include "help_texts.hpp"

namespace broch::cli {

const std::vector<HelpTopic>& help_topics() {
  static const std::vector<HelpTopic> topics = {
      {"manifest", "MANIFEST", "What a manifest is, and all of its keys",
       help_text("manifest") + manifest_reference()},
      {"expressions", "EXPRESSIONS",
       "The language of options that are functions, such as schedules",
       help_text("expressions") + expression_reference()},
      {"overrides", "OVERRIDES", "Changing a manifest from the command line",
       help_text("overrides")},
      {"exit-codes", "EXIT STATUS", "The meaning of exit codes", help_text("exit-codes")},
      {"resume", "RESUMING", "Continuing a run that has ended", help_text("resume")},
      {"ctl", "CONTROLLING A RUN", "Watching and changing a run while it trains", help_text("ctl")},
      {"plugins", "PLUGINS", "Where plugins are searched", help_text("plugins")},
      {"ranks", "RANKS", "Training in several processes, on one machine or on many",
       help_text("ranks")},
      {"environment", "ENVIRONMENT", "Environment variables that the program reads",
       help_text("environment")}};
  return topics;
}

}  // namespace broch::cli
