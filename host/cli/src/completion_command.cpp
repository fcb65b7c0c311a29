// completion_command.cpp: broch completion, and the hidden command that the shells' functions ask.
//
// A function hands over the words up to the one that is being typed and gets candidates, one a
// line;
// ":json" and ":files" stand for names of files, which shells complete better.
#include <algorithm>
#include <iostream>

#include "commands.hpp"
#include "help_topics.hpp"

namespace broch::cli {
namespace {

constexpr const char* kAsk = "__complete";

constexpr const char* kBash = R"sh(# bash: source <(broch completion bash)
_broch() {
  local IFS=$'\n' line current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  while read -r line; do
    case $line in
      :json)
        compopt -o filenames 2> /dev/null
        COMPREPLY+=($(compgen -f -X '!*.json' -- "$current") $(compgen -d -- "$current")) ;;
      :files)
        compopt -o filenames 2> /dev/null
        COMPREPLY+=($(compgen -f -- "$current")) ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2> /dev/null)
}
complete -F _broch broch
)sh";

constexpr const char* kZsh = R"sh(#compdef broch
# zsh: source <(broch completion zsh)
_broch() {
  local -a candidates
  local line
  for line in ${(f)"$(${words[1]} __complete "${(@)words[1,CURRENT]}" 2> /dev/null)"}; do
    case $line in
      :json) _files -g '*.json' ;;
      :files) _files ;;
      *) candidates+=("$line") ;;
    esac
  done
  (( $#candidates )) && compadd -- $candidates
}
compdef _broch broch
)sh";

constexpr const char* kFish = R"sh(# fish: broch completion fish | source
function __broch_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete $words 2> /dev/null)
    switch $line
      case ':json'
        __fish_complete_suffix .json
      case ':files'
        __fish_complete_path (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c broch -f -a '(__broch_complete)'
)sh";

using Words = std::vector<std::string>;

// "auto", … of TEXT:{auto,always,never}
Words values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

// Of a command or of those around it, whose options are taken anywhere.
const CLI::Option* find_option(const CLI::App* command, const std::string& name) {
  for (; command; command = command->get_parent())
    if (const CLI::Option* option = command->get_option_no_throw(name)) return option;
  return nullptr;
}

bool wants_value(const CLI::App* command, const std::string& word) {
  if (!word.starts_with("-") || word.find('=') != std::string::npos) return false;
  const CLI::Option* option = find_option(command, word);
  return option && option->get_items_expected_min() > 0;
}

// Where a command line has come to.
struct Place {
  const CLI::App* command;
  size_t positionals = 0;               // given to it
  const CLI::Option* option = nullptr;  // that waits for its value
};

Place place_of(const CLI::App& app, const Words& before) {
  Place place{&app};
  for (const std::string& word : before) {
    if (place.option) {
      place.option = nullptr;
    } else if (wants_value(place.command, word)) {
      place.option = find_option(place.command, word);
    } else if (!word.starts_with("-")) {
      const auto commands = commands_of(*place.command);
      const auto inner = std::ranges::find(commands, word, &CLI::App::get_name);
      if (inner != commands.end())
        place = {*inner};
      else
        ++place.positionals;
    }
  }
  return place;
}

void add_flags(const CLI::App* command, Words& candidates) {
  for (; command; command = command->get_parent())
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) candidates.push_back("--" + name);
}

void add_value(const CLI::Option& option, Words& candidates) {
  const Words values = values_of(option);
  candidates.insert(candidates.end(), values.begin(), values.end());
  if (values.empty()) candidates.push_back(":files");
}

void add_positional(const CLI::Option& option, Words& candidates) {
  const std::string name = option.get_name(true);
  if (name == "manifest") return candidates.push_back(":json");
  if (name == "overrides" || name == "change") return;
  if (name != "topic") return add_value(option, candidates);
  for (const HelpTopic& topic : help_topics()) candidates.push_back(topic.name);
}

Words candidates_at(const Place& place, const std::string& word) {
  Words candidates;
  if (place.option) {
    add_value(*place.option, candidates);
  } else if (word.starts_with("-")) {
    add_flags(place.command, candidates);
  } else {
    for (const CLI::App* one : commands_of(*place.command)) candidates.push_back(one->get_name());
    size_t index = 0;
    for (const CLI::Option* option : place.command->get_options())
      if (option->get_positional() && index++ == place.positionals)
        add_positional(*option, candidates);
  }
  std::erase_if(candidates, [&](const std::string& candidate) {
    return !candidate.starts_with(":") && !candidate.starts_with(word);
  });
  std::ranges::sort(candidates);
  return candidates;
}

// words: the program's name first, the one that is being typed last.
int complete(const CLI::App& app, Words words) {
  if (words.size() < 2) return 0;
  const std::string word = words.back();
  words.pop_back();
  words.erase(words.begin());
  for (const std::string& candidate : candidates_at(place_of(app, words), word))
    std::cout << candidate << '\n';
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, int& exit_code) {
  static std::string shell;
  CLI::App* command =
      app.add_subcommand("completion", "Print a function that completes in a shell");
  command->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&exit_code] {
    std::cout << (shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
    exit_code = 0;
  });
  CLI::App* ask = app.add_subcommand(kAsk, "Candidates for the last of some words")->group("");
  ask->fallthrough(false)->prefix_command();
  ask->callback([&app, ask, &exit_code] { exit_code = complete(app, ask->remaining()); });
}

}  // namespace broch::cli
