// help_command.cpp: broch help.
#include <iostream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "help_topics.hpp"
#include "man_page.hpp"
#include "output.hpp"

namespace broch::cli {
namespace {

struct HelpOptions {
  std::string topic;
  bool man = false;
};

void list_topics() {
  Table table({"topic", "about"});
  for (const HelpTopic& topic : help_topics())
    table.add({topic.name, topic.text.substr(0, topic.text.find('\n'))});
  table.print();
}

int help(const CLI::App& app, const HelpOptions& options) {
  if (options.man) {
    std::cout << man_page(app);
    return 0;
  }
  if (options.topic.empty()) {
    list_topics();
    return 0;
  }
  std::vector<std::string> known;
  for (const HelpTopic& topic : help_topics()) {
    known.push_back(topic.name);
    if (topic.name != options.topic) continue;
    std::cout << topic.text;
    return 0;
  }
  for (const CLI::App* command : commands_of(app)) {
    known.push_back(command->get_name());
    if (command->get_name() != options.topic) continue;
    std::cout << command->help("broch");
    return 0;
  }
  throw base::Error(
      base::Exit::usage,
      {"broch help", base::quoted(options.topic) + base::did_you_mean(options.topic, known),
       "one of " + base::join(known, ", "), "broch help lists the topics"});
}

}  // namespace

void add_help(CLI::App& app, int& exit_code) {
  static HelpOptions options;
  CLI::App* command =
      app.add_subcommand("help", "Explain a topic or a command; alone: list topics");
  command->add_option("topic", options.topic, "A topic or a command");
  command->add_flag("--man", options.man, "Print the manual page");
  command->callback([&app, &exit_code] { exit_code = help(app, options); });
}

}  // namespace broch::cli
