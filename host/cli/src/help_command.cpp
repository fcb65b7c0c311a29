// help_command.cpp: broch help.
#include <algorithm>
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
  std::vector<std::string> topic;  // or a command, such as "plugin ls"
  bool man = false;
};

void list_topics() {
  Table table({"topic", "about"});
  for (const HelpTopic& topic : help_topics()) table.add({topic.name, topic.about});
  table.print();
  std::cout
      << "\nbroch help TOPIC shows one, broch help COMMAND explains a command, and broch alone "
         "lists the\ncommands.\n";
}

// Whether there is such a topic.
bool show_topic(const std::string& name) {
  for (const HelpTopic& topic : help_topics()) {
    if (topic.name != name) continue;
    std::cout << topic.text;
    return true;
  }
  return false;
}

std::vector<std::string> names_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : commands_of(command)) names.push_back(one->get_name());
  return names;
}

[[noreturn]] void refuse(const std::string& word, const std::vector<std::string>& known) {
  throw base::Error(base::Exit::usage,
                    {"broch help", base::quoted(word) + base::did_you_mean(word, known),
                     known.empty() ? "no further word" : "one of " + base::join(known, ", "),
                     "broch help lists the topics"});
}

void explain(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string before;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> inner = commands_of(*command);
    const auto found = std::ranges::find(inner, word, &CLI::App::get_name);
    if (found == inner.end()) {
      std::vector<std::string> known = names_below(*command);
      if (command == &app)
        for (const HelpTopic& topic : help_topics()) known.push_back(topic.name);
      refuse(word, known);
    }
    before += (before.empty() ? "" : " ") + command->get_name();
    command = *found;
  }
  std::cout << command->help(before);
}

int help(const CLI::App& app, const HelpOptions& options) {
  if (options.man)
    std::cout << man_page(app);
  else if (options.topic.empty())
    list_topics();
  else if (options.topic.size() > 1 || !show_topic(options.topic.front()))
    explain(app, options.topic);
  return 0;
}

}  // namespace

void add_help(CLI::App& app, int& exit_code) {
  static HelpOptions options;
  CLI::App* command =
      app.add_subcommand("help", "Explain a topic or a command; without one, list the topics");
  command->add_option("topic", options.topic, "A topic, or a command such as plugin ls");
  command->add_flag("--man", options.man, "Print the manual page");
  command->callback([&app, &exit_code] { exit_code = help(app, options); });
}

}  // namespace broch::cli
