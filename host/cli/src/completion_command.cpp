// completion_command.cpp: broch completion, and the hidden command that its shell functions call.
#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "commands.hpp"
#include "completion/candidates.hpp"
#include "completion/functions.hpp"
#include "help_topics.hpp"
#include "plugins/metadata.hpp"

namespace broch::cli {
namespace {

using completion::Words;

constexpr const char* kAsk = "__complete";
constexpr const char* kPluginPath = "plugin-path";

// "auto", "always" and "never" for the type "TEXT:{auto,always,never}".
Words values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// The command above whose options are accepted here, too; nullptr: none. One that also stands
// alone, such as bench, takes its options only there.
const CLI::App* above(const CLI::App* command) {
  do command = command->get_parent();
  while (command && command->get_require_subcommand_min() == 0);
  return command;
}

const CLI::Option* find_option(const CLI::App* command, const std::string& name) {
  for (; command; command = above(command))
    if (const CLI::Option* option = command->get_option_no_throw(name)) return option;
  return nullptr;
}

bool wants_value(const CLI::App* command, const std::string& word) {
  if (!word.starts_with("-") || word.find('=') != std::string::npos) return false;
  const CLI::Option* option = find_option(command, word);
  return option && option->get_items_expected_min() > 0;
}

// What the words before the cursor mean.
struct Place {
  const CLI::App* command;
  Words positionals{};                  // given to command
  const CLI::Option* option = nullptr;  // waits for its value
  Words plugin_path{};                  // values of --plugin-path
};

Place place_of(const CLI::App& app, const Words& before) {
  Place place{&app};
  for (const std::string& word : before) {
    if (place.option) {
      if (place.option->check_lname(kPluginPath)) place.plugin_path.push_back(word);
      place.option = nullptr;
    } else if (wants_value(place.command, word)) {
      place.option = find_option(place.command, word);
    } else if (!word.starts_with("-")) {
      const auto commands = commands_of(*place.command);
      const auto inner = std::ranges::find(commands, word, &CLI::App::get_name);
      if (inner != commands.end())
        place = {*inner, {}, nullptr, place.plugin_path};
      else
        place.positionals.push_back(word);
    }
  }
  return place;
}

void add_flags(const CLI::App* command, Words& candidates) {
  for (; command; command = above(command))
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) candidates.push_back("--" + name);
}

void append(Words more, Words& candidates) {
  candidates.insert(candidates.end(), more.begin(), more.end());
}

void add_value(const CLI::Option& option, Words& candidates) {
  if (option.check_lname("role")) return append(plugins::known_roles(), candidates);
  const Words values = values_of(option);
  append(values, candidates);
  if (values.empty()) candidates.push_back(":files");
}

// The words given to one positional argument. An argument with several values takes the rest.
Words given_to(const Place& place, const std::string& name) {
  Words given;
  size_t index = 0;
  for (const CLI::Option* option : place.command->get_options()) {
    if (!option->get_positional()) continue;
    const bool takes_rest = option->get_items_expected_max() > 1;
    const size_t end = takes_rest ? place.positionals.size() : index + 1;
    for (; index < std::min(end, place.positionals.size()); ++index)
      if (option->get_name(true) == name) given.push_back(place.positionals[index]);
  }
  return given;
}

void add_overrides(const Place& place, const std::string& word, Words& candidates) {
  const Words manifest = given_to(place, "manifest");
  if (manifest.empty()) return;
  append(completion::overrides(manifest[0], given_to(place, "overrides"), place.plugin_path, word),
         candidates);
}

// Candidates for broch help: topics and commands, or the subcommands of the commands named.
void add_topics(const CLI::App& app, const Words& named, Words& candidates) {
  const CLI::App* command = &app;
  for (const std::string& word : named) {
    const auto inner = commands_of(*command);
    const auto found = std::ranges::find(inner, word, &CLI::App::get_name);
    if (found == inner.end()) return;
    command = *found;
  }
  for (const CLI::App* one : commands_of(*command)) candidates.push_back(one->get_name());
  if (command == &app)
    for (const HelpTopic& topic : help_topics()) candidates.push_back(topic.name);
}

void add_positional(const Place& place, const CLI::Option& option, const std::string& word,
                    Words& candidates) {
  const std::string name = option.get_name(true);
  if (name == "manifest" || name == "sweep") return candidates.push_back(":json");
  if (name == "overrides") return add_overrides(place, word, candidates);
  if (name == "role") return append(plugins::known_roles(), candidates);
  if (name == "topic")
    return add_topics(*place.command->get_parent(), place.positionals, candidates);
  if (name == "change" || name == "name") return;
  if (name == "what") append(completion::components(place.plugin_path), candidates);
  const bool is_run = name.starts_with("log_dir");
  const bool may_be_run = name == "checkpoint" || name == "a" || name == "b";
  if (is_run || may_be_run) append(completion::runs(word), candidates);
  if (!is_run) add_value(option, candidates);
}

// The positional argument that the next word belongs to.
const CLI::Option* positional_at(const Place& place) {
  size_t index = 0;
  for (const CLI::Option* option : place.command->get_options()) {
    if (!option->get_positional()) continue;
    if (index++ == place.positionals.size() || option->get_items_expected_max() > 1) return option;
  }
  return nullptr;
}

Words candidates_at(const Place& place, const std::string& word) {
  Words candidates;
  if (place.option) {
    add_value(*place.option, candidates);
  } else if (word.starts_with("-")) {
    add_flags(place.command, candidates);
  } else {
    for (const CLI::App* one : commands_of(*place.command)) candidates.push_back(one->get_name());
    if (const CLI::Option* option = positional_at(place))
      add_positional(place, *option, word, candidates);
  }
  std::erase_if(candidates, [&](const std::string& candidate) {
    return !candidate.starts_with(":") && !candidate.starts_with(word);
  });
  std::ranges::sort(candidates);
  candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
  return candidates;
}

// words: first the program's name, last the word that is being typed.
int complete(const CLI::App& app, Words words) {
  if (words.size() < 2) return 0;
  const std::string word = words.back();
  words.pop_back();
  words.erase(words.begin());
  try {
    for (const std::string& candidate : candidates_at(place_of(app, words), word))
      std::cout << candidate << '\n';
  } catch (const base::Error&) {  // the manifest may be incomplete while it is being written
  }
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  static std::string shell;
  CLI::App* command = app.add_subcommand("completion", "Print a completion function for a shell");
  command->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&exit_code] {
    std::cout << completion::function_for(shell);
    exit_code = 0;
  });
  CLI::App* ask = app.add_subcommand(kAsk, "Candidates for the last of some words")->group("");
  ask->fallthrough(false)->prefix_command();
  ask->callback([&app, ask, &exit_code] { exit_code = complete(app, ask->remaining()); });
}

}  // namespace broch::cli
