// fetches.cpp: finds out what a name refers to.
#include "plan/fetches.hpp"

#include <charconv>

#include "base/text.hpp"

namespace broch::plan {

namespace {

// Splits "1:cost" into 1 and "cost". Names without a prefix belong to the main tower.
Fetch split(std::string name, const std::string& asked_by) {
  Fetch fetch;
  fetch.asked_by = asked_by;
  const size_t colon = name.find(':');
  const char* end = name.data() + (colon == std::string::npos ? 0 : colon);
  const auto [stop, error] = std::from_chars(name.data(), end, fetch.tower);
  const bool prefixed = colon != std::string::npos && error == std::errc{} && stop == end;
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

std::vector<std::string> tower_names(const Fetch& fetch, const Fetches::Deps& deps) {
  const tower::Tower* tower = deps.towers ? deps.towers->training(fetch.tower) : nullptr;
  if (!tower) return {};
  return tower->published_names();
}

[[noreturn]] void refuse(const Fetch& fetch, const std::vector<std::string>& names,
                         const char* expected) {
  throw base::Error{base::Exit::manifest,
                    {fetch.asked_by, "the name " + base::quoted(fetch.name),
                     expected + base::did_you_mean(fetch.published, names),
                     names.empty() ? "there are none" : "there are: " + base::join(names, ", ")}};
}

}  // namespace

bool is_computed_from(const Fetch& fetch, const tower::Tower& tower, std::string_view ancestor) {
  return fetch.kind == Fetch::Kind::published && fetch.tower == tower.spec().index &&
         tower.depends(fetch.published, ancestor);
}

Fetch resolve_fetch(std::string name, const std::string& asked_by, const Fetches::Deps& deps) {
  Fetch fetch = split(std::move(name), asked_by);
  if (find_published(fetch, deps) || find_variable(fetch, deps)) return fetch;
  std::vector<std::string> names = tower_names(fetch, deps);
  for (const std::string& other : deps.hypers->names()) names.push_back(other);
  for (const std::string& other : deps.variables->names()) names.push_back(other);
  refuse(fetch, names,
         "a published name or input of the training tower, a hyper-parameter or a variable");
}

Fetch resolve_feed(std::string name, const std::string& asked_by, const Fetches::Deps& deps) {
  Fetch fetch = split(std::move(name), asked_by);
  if (find_published(fetch, deps)) return fetch;
  refuse(fetch, tower_names(fetch, deps),
         "an input or a published name of a training tower, since nothing else can be fed");
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
