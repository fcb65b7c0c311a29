// fetches.cpp: finds out what a name refers to.
#include "plan/fetches.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "optimizer/optimizers.hpp"

namespace broch::plan {

namespace {

// Splits "1:cost" into 1 and "cost". Names without a prefix belong to the main tower.
Fetch split(std::string name, const std::string& asked_by) {
  Fetch fetch;
  fetch.asked_by = asked_by;
  const size_t colon = name.find(':');
  const char* end = name.data() + (colon == std::string::npos ? 0 : colon);
  uint32_t tower = 0;
  const auto [stop, error] = std::from_chars(name.data(), end, tower);
  const bool prefixed = colon != std::string::npos && error == std::errc{} && stop == end;
  if (prefixed) fetch.tower = tower;
  fetch.published = prefixed ? name.substr(colon + 1) : name;
  fetch.name = std::move(name);
  return fetch;
}

bool find_published(Fetch& fetch, const Fetches::Deps& deps) {
  const tower::Tower* tower = deps.towers ? deps.towers->training(fetch.tower) : nullptr;
  const int index = tower ? tower->index_of(fetch.published) : -1;
  if (index < 0) return false;
  fetch.index = static_cast<size_t>(index);
  fetch.kind = Fetch::Kind::published;
  return true;
}

bool find_variable(Fetch& fetch, const Fetches::Deps& deps) {
  if (fetch.name == "epoch_num" || fetch.name == "global_step") {
    // The number at the time of the execution. The variable is incremented before after_run.
    fetch.kind = fetch.name == "epoch_num" ? Fetch::Kind::epoch_num : Fetch::Kind::global_step;
    return true;
  }
  fetch.variable = deps.hypers->variable(fetch.name);
  if (!fetch.variable) fetch.variable = deps.variables->find(fetch.name);
  if (fetch.variable) fetch.kind = Fetch::Kind::variable;
  return fetch.variable != nullptr;
}

using Names = std::vector<std::string>;

Names tower_names(const Fetch& fetch, const Fetches::Deps& deps) {
  const tower::Tower* tower = deps.towers ? deps.towers->training(fetch.tower) : nullptr;
  return tower ? tower->published_names() : Names{};
}

// The published names come first. What a reader hardly looks for is left out: slots of optimizers,
// and the variables of replicas.
Names names_to_fetch(const Fetch& fetch, const Fetches::Deps& deps) {
  Names names = tower_names(fetch, deps);
  Names others = deps.hypers->names();
  for (const auto& variable : deps.variables->all())
    if (variable->replica.empty() && !optimizer::Optimizers::remembers_in(*variable))
      others.push_back(variable->name);
  for (std::string& other : others)
    if (std::ranges::find(names, other) == names.end()) names.push_back(std::move(other));
  return names;
}

std::string what_there_is(const Names& names) {
  constexpr size_t kShown = 40;
  if (names.empty()) return "there are none";
  if (names.size() <= kShown) return "there are: " + base::join(names, ", ");
  return "there are: " + base::join({names.begin(), names.begin() + kShown}, ", ") + ", and " +
         std::to_string(names.size() - kShown) + " more; `broch plan` lists the variables";
}

[[noreturn]] void refuse(const Fetch& fetch, const Names& names, const std::string& expected) {
  throw base::Error{
      base::Exit::manifest,
      {fetch.asked_by, "the name " + base::quoted(fetch.name), expected, what_there_is(names)}};
}

// For a name such as "1:cost".
void require_tower(const Fetch& fetch, const Fetches::Deps& deps) {
  if (fetch.tower == 0 || !deps.towers || deps.towers->training(fetch.tower)) return;
  Names there;
  for (const tower::Tower* tower : deps.towers->training())
    if (tower) there.push_back(std::to_string(tower->spec().index));
  Fetch main = fetch;
  main.tower = 0;
  refuse(fetch, tower_names(main, deps),
         there.size() == 1 ? "a name of tower " + there[0] + ", as there is no other training tower"
                           : "a name of one of the training towers " + base::join(there, ", "));
}

}  // namespace

bool is_computed_from(const Fetch& fetch, const tower::Tower& tower, std::string_view ancestor) {
  return fetch.kind == Fetch::Kind::published && fetch.tower == tower.spec().index &&
         tower.depends(fetch.published, ancestor);
}

Fetch resolve_fetch(std::string name, const std::string& asked_by, const Fetches::Deps& deps) {
  Fetch fetch = split(std::move(name), asked_by);
  if (find_published(fetch, deps) || find_variable(fetch, deps)) return fetch;
  require_tower(fetch, deps);
  const Names names = names_to_fetch(fetch, deps);
  std::string similar = base::did_you_mean(fetch.published, names);
  if (similar.empty()) similar = base::did_you_mean(fetch.published, deps.variables->names());
  refuse(
      fetch, names,
      "a published name or input of the training tower, a hyper-parameter or a variable" + similar);
}

Fetch resolve_feed(std::string name, const std::string& asked_by, const Fetches::Deps& deps) {
  Fetch fetch = split(std::move(name), asked_by);
  if (find_published(fetch, deps)) return fetch;
  require_tower(fetch, deps);
  const Names names = tower_names(fetch, deps);
  refuse(fetch, names,
         "an input or a published name of a training tower, since nothing else can be fed" +
             base::did_you_mean(fetch.published, names));
}

uint32_t Fetches::add(std::string_view name, const std::string& asked_by) {
  for (size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].name == name) return static_cast<uint32_t>(i);
  Fetch& fetch = entries_.emplace_back();
  fetch.name = name;
  fetch.asked_by = asked_by;
  return static_cast<uint32_t>(entries_.size() - 1);
}

uint32_t Fetches::add_resolved(Fetch fetch) {
  entries_.push_back(std::move(fetch));
  return static_cast<uint32_t>(resolved_++);
}

void Fetches::resolve(const Deps& deps) {
  for (; resolved_ < entries_.size(); ++resolved_) {
    Fetch& fetch = entries_[resolved_];
    fetch = resolve_fetch(fetch.name, fetch.asked_by, deps);
  }
}

}  // namespace broch::plan
