// functions.cpp: the completion functions, each in the language of its shell.
#include "completion/functions.hpp"

namespace broch::completion {
namespace {

// bash also splits words at = and :, and replaces only the part after the last of these.
constexpr const char* kBash = R"sh(# bash: source <(broch completion bash)
_broch() {
  local IFS=$'\n' line i rest=$COMP_LINE words=() before
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      words+=("${COMP_WORDS[i]}")
    else
      words[-1]+=${COMP_WORDS[i]}
    fi
    rest=${rest#"${rest%%[![:space:]]*}"}
    rest=${rest#"${COMP_WORDS[i]}"}
  done
  words=("${words[@]#[\'\"]}")
  local current=${words[-1]}
  before=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while read -r line; do
    case $line in
      :json)
        compopt -o filenames 2> /dev/null
        COMPREPLY+=($(compgen -f -X '!*.json' -- "$current") $(compgen -d -- "$current")) ;;
      :files)
        compopt -o filenames 2> /dev/null
        COMPREPLY+=($(compgen -f -- "$current")) ;;
      *)
        [[ $line == *[=/] ]] && compopt -o nospace 2> /dev/null
        COMPREPLY+=("${line#"$before"}") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2> /dev/null)
}
complete -F _broch broch
)sh";

constexpr const char* kZsh = R"sh(#compdef broch
# zsh: source <(broch completion zsh)
_broch() {
  local -a candidates unfinished
  local line
  for line in ${(f)"$(${words[1]} __complete "${(@)words[1,CURRENT]}" 2> /dev/null)"}; do
    case $line in
      :json) _files -g '*.json' ;;
      :files) _files ;;
      *[=/]) unfinished+=("$line") ;;
      *) candidates+=("$line") ;;
    esac
  done
  (( $#candidates )) && compadd -- $candidates
  (( $#unfinished )) && compadd -S '' -- $unfinished
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

}  // namespace

const char* function_for(const std::string& shell) {
  return shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish;
}

}  // namespace broch::completion
