// restoration.cpp: matches the names of the model, without the prefix, with those in the file.
#include "restoration.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "checkpoint_variables.hpp"

namespace broch::session {
namespace {

void tell_names(void (*say)(const std::string&), const std::vector<std::string>& names,
                const std::string& what) {
  if (!names.empty()) say(what + ": " + base::join(names, ", "));
}
void say_info(const std::string& text) { base::info(text); }
void say_warning(const std::string& text) { base::warning(text); }

bool is_global(const store::SavedVariable& saved) {
  return std::ranges::find(saved.collections, "LOCAL") == saved.collections.end();
}

}  // namespace

NamePatterns::NamePatterns(const std::vector<std::string>& patterns, const std::string& where,
                           const std::string& what)
    : where_(where + ": " + what) {
  for (const std::string& text : patterns) try {
      patterns_.push_back({text, std::regex(text)});
    } catch (const std::regex_error&) {
      throw base::Error(base::Exit::manifest,
                        {where_, base::quoted(text), "an ECMAScript regular expression",
                         "all names that begin with fc/ are matched by \"fc/.*\""});
    }
}

std::optional<std::string> NamePatterns::match(const std::string& name) const {
  for (const Pattern& pattern : patterns_)
    if (std::regex_match(name, pattern.regex)) return pattern.text;
  return std::nullopt;
}

void NamePatterns::require_matches(const std::set<std::string>& names) const {
  for (const Pattern& pattern : patterns_) {
    if (std::ranges::any_of(
            names, [&](const std::string& name) { return std::regex_match(name, pattern.regex); }))
      continue;
    const std::vector<std::string> list(names.begin(), names.end());
    throw base::Error(base::Exit::manifest,
                      {where_,
                       base::quoted(pattern.text) + ", which matches no variable" +
                           base::did_you_mean(pattern.text, list),
                       "a regular expression for a whole name, such as \"fc/.*\"",
                       "broch ckpt inspect lists the names in a checkpoint"});
  }
}

Restoration::Restoration(const RunState& run, const store::Checkpoint& checkpoint,
                         std::string where, const RestoreOptions& options)
    : run_(run),
      checkpoint_(checkpoint),
      where_(std::move(where)),
      options_(options),
      include_(options.include, options.where, "include"),
      exclude_(options.exclude, options.where, "exclude") {}

void Restoration::load() {
  const std::string prefix = options_.prefix.empty() ? "" : options_.prefix + "/";
  std::set<std::string> wanted, all;
  std::vector<std::pair<runtime::Variable*, std::string>> variables;
  for (const auto& variable : run_.variables->all()) {
    if (variable->local() || !variable->name.starts_with(prefix)) continue;
    variables.emplace_back(variable.get(), variable->name.substr(prefix.size()));
    wanted.insert(variables.back().second);
  }
  all = wanted;
  for (const store::SavedVariable& saved : checkpoint_.contents.variables)
    if (is_global(saved)) all.insert(saved.value.name);
  include_.require_matches(all);
  exclude_.require_matches(all);
  for (const auto& [variable, name] : variables) {
    if (const std::string why = reason(name); !why.empty())
      left_out_.push_back(variable->name + " (" + why + ")");
    else
      load(*variable, name);
  }
  note_unused(wanted);
}

std::string Restoration::reason(const std::string& name) const {
  if (std::ranges::find(options_.ignore, name) != options_.ignore.end()) return "in ignore";
  if (!include_.empty() && !include_.match(name)) return "not in include";
  if (const auto pattern = exclude_.match(name)) return "exclude " + base::quoted(*pattern);
  return "";
}

void Restoration::load(runtime::Variable& variable, const std::string& name) {
  const auto& saved = checkpoint_.contents.variables;
  const auto it = std::ranges::find_if(
      saved, [&](const store::SavedVariable& one) { return one.value.name == name; });
  if (it == saved.end()) {
    (is_training_name(name) ? missing_of_training_ : missing_).push_back(variable.name);
  } else if (!options_.relaxed) {
    load_exactly(*run_.backend, it->value, variable, where_);
    loaded_.push_back(variable.name);
  } else if (load_relaxed(*run_.backend, it->value, variable, where_)) {
    loaded_.push_back(variable.name);
  } else {
    left_out_.push_back(variable.name + " (another shape)");
  }
}

void Restoration::note_unused(const std::set<std::string>& wanted) {
  for (const store::SavedVariable& saved : checkpoint_.contents.variables) {
    const std::string& name = saved.value.name;
    if (!is_global(saved) || wanted.contains(name)) continue;
    if (const std::string why = reason(name); !why.empty()) continue;
    (is_training_name(name) ? unused_of_training_ : unused_).push_back(name);
  }
}

void Restoration::tell() const {
  if (!options_.quiet) {
    base::info("restored from " + where_ + ": " + std::to_string(loaded_.size()) +
               (loaded_.size() == 1 ? " variable" : " variables") + (loaded_.empty() ? "" : ": ") +
               base::join(loaded_, ", "));
    tell_names(&say_info, left_out_, "not restored");
    tell_names(&say_info, missing_of_training_, "not restored, as the file does not have them");
    tell_names(&say_info, unused_of_training_, "not restored, as this run does not use them");
  }
  tell_names(&say_warning, missing_, "variables of the model that are not in " + where_);
  tell_names(&say_warning, unused_, "variables in " + where_ + " that the model does not have");
  if (options_.quiet) return;
  for (const std::string& name : loaded_) {
    if (!run_.hypers->has(name)) continue;
    const double now = run_.hypers->get(name);
    if (now != run_.hypers->initial(name))
      base::warning(name + " is " + base::shortest(now) + " from the checkpoint, " +
                    run_.changes->says(name) + ": exclude it to use that");
  }
}

}  // namespace broch::session
