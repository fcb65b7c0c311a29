// definition.cpp: registrations as text, and the first difference between two of them.
#include "definition.hpp"

#include <algorithm>
#include <map>

namespace broch::tower {
namespace {

using Names = std::vector<std::string>;

std::string dims_text(const Event& event) {
  return event.name + " " + dtype_name(event.dtype) + " " + to_string(event.shape);
}

// Replaces the sizes in "name float32 (2, 10)" by "?", since they may change from call to call.
std::string without_sizes(const std::string& text) {
  const size_t open = text.rfind('(');
  if (open == std::string::npos) return text;
  std::string result = text.substr(0, open);
  for (size_t i = open; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (!digit)
      result += text[i];
    else if (result.back() != '?')
      result += '?';
  }
  return result;
}

std::string first_word(const std::string& text) { return text.substr(0, text.find(' ')); }

bool same(const std::string& a, const std::string& b) {
  return a == b || without_sizes(a) == without_sizes(b);
}

const std::string* find_name(const Names& names, const std::string& text) {
  const auto found = std::ranges::find_if(
      names, [&](const std::string& other) { return first_word(other) == first_word(text); });
  return found == names.end() ? nullptr : &*found;
}

bool has(const Names& names, const std::string& text) {
  return std::ranges::any_of(names, [&](const std::string& other) { return same(other, text); });
}

std::string difference_in(const Names& before, const Names& later, const std::string& verb) {
  for (const std::string& text : later) {
    if (has(before, text)) continue;
    const std::string* other = find_name(before, text);
    if (other)
      return verb + " '" + text + "' where it was '" + *other + "' when the graph was defined";
    return verb + " '" + first_word(text) + "' that was not there when the graph was defined";
  }
  for (const std::string& text : before)
    if (!has(later, text))
      return "did not have " + verb + " '" + first_word(text) +
             "' that was there when the graph was defined";
  for (size_t i = 0; i < std::min(before.size(), later.size()); ++i)
    if (!same(before[i], later[i]))
      return verb + " '" + first_word(later[i]) + "' where '" + first_word(before[i]) +
             "' came when the graph was defined";
  if (before.size() != later.size())
    return verb + " " + std::to_string(later.size()) + " where it was " +
           std::to_string(before.size()) + " when the graph was defined";
  return "";
}

std::vector<const Event*> pointers(const Events& events, size_t count) {
  std::vector<const Event*> list;
  for (size_t i = 0; i < count; ++i) list.push_back(events[i].get());
  return list;
}

Registration registration_of(const std::vector<const Event*>& events, bool has_cost) {
  Registration all;
  all.has_cost = has_cost;
  std::map<std::string, size_t> collected;
  for (const Event* event : events) {
    switch (event->kind) {
      case EventKind::get:
        all.variables.push_back(event->name);
        break;
      case EventKind::publish:
        all.published.push_back(dims_text(*event));
        break;
      case EventKind::collect:
        ++collected[event->name];
        break;
      case EventKind::update:
        all.updates.push_back(event->variable->name + " @ " + event->name);
        break;
      case EventKind::summary:
        all.summaries.push_back(event->name);
        break;
      case EventKind::moving:
        all.summaries.push_back(event->name + " moving");
        break;
    }
  }
  for (const auto& [name, count] : collected)
    all.collections.push_back(name + "[" + std::to_string(count) + "]");
  return all;
}

}  // namespace

std::string Registration::difference(const Registration& later) const {
  const auto both = {
      difference_in(variables, later.variables, "asked for variable"),
      difference_in(published, later.published, "published"),
      difference_in(collections, later.collections, "added to collection"),
      difference_in(updates, later.updates, "updated"),
      difference_in(summaries, later.summaries, "showed"),
  };
  for (const std::string& text : both)
    if (!text.empty()) return text;
  if (has_cost != later.has_cost)
    return later.has_cost ? "gave a cost where there was none when the graph was defined"
                          : "gave no cost where there was one when the graph was defined";
  return "";
}

Registration Definition::registration() const {
  return registration_of(pointers(events, events.size()), has_cost);
}

void Follower::begin(bool defining) {
  defining_ = defining;
  next_ = 0;
  other_.clear();
}

Event& Follower::note(const EventKey& key) {
  Events& events = definition_.events;
  if (follows() && next_ < events.size() && key.matches(*events[next_])) return *events[next_++];
  Events& list = defining_ ? events : other_;
  auto event = std::make_unique<Event>();
  event->kind = key.kind;
  event->name = key.name;
  event->variable = key.variable;
  event->kinds = key.kinds;
  if (key.published) {
    event->dtype = key.published->dtype;
    event->shape = key.published->shape;
  }
  return *list.emplace_back(std::move(event));
}

const Event* Follower::next_get(std::string_view name) const {
  if (!follows() || next_ >= definition_.events.size()) return nullptr;
  const Event& event = *definition_.events[next_];
  return event.kind == EventKind::get && event.name == name ? &event : nullptr;
}

std::string Follower::difference(bool has_cost) const {
  if (defining_) return "";
  if (follows() && next_ == definition_.events.size() && has_cost == definition_.has_cost)
    return "";
  std::vector<const Event*> later = pointers(definition_.events, next_);
  for (const auto& event : other_) later.push_back(event.get());
  const std::string text = definition_.registration().difference(registration_of(later, has_cost));
  return text.empty() ? "registered the same things in another order" : text;
}

}  // namespace broch::tower
