// references.cpp: goes through the order in which instances will be created, without creating them.
#include <map>
#include <set>

#include "base/text.hpp"
#include "session/preconditions.hpp"

namespace broch::session {
namespace {

using manifest::Component;

class Making {
 public:
  explicit Making(const std::vector<const Component*>& tops) {
    for (const Component* top : tops) note(*top, *top);
  }

  void make(const Component& top, const Component& asked_by) {
    State& state = states_[&top];
    if (state == State::made) return;
    if (state == State::begun)
      refuse(asked_by,
             {base::quoted(asked_by.ref) + " refers to itself, directly or through others",
              "references without a circle", "give one of them an entry of its own"});
    state = State::begun;
    visit(top);
    states_[&top] = State::made;
  }

 private:
  enum class State { untouched, begun, made };
  struct Place {
    const Component *component, *top;
  };

  void note(const Component& component, const Component& top) {
    tops_[&component] = &top;
    if (!component.name.empty()) names_[component.name] = {&component, &top};
    for (const Component& child : component.children) note(child, top);
  }

  void visit(const Component& component) {
    if (component.is_reference()) return follow(component);
    for (const Component& child : component.children) visit(child);
    finished_.insert(&component);
  }

  // For a reference within one top-level component, the instance only has to be created before.
  void follow(const Component& reference) {
    const auto found = names_.find(reference.ref);
    if (found == names_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, place] : names_) names.push_back(name);
      refuse(reference,
             {"a reference to " + base::quoted(reference.ref) +
                  ", which is made later, for a plan of the trainer",
              names.empty() ? "the name of another instance (none has one)" : value::one_of(names),
              "refer to an instance that is no optimizer and no gradient processor"});
    }
    const auto& [component, top] = found->second;
    if (!finished_.contains(component) || tops_[&reference] != top) make(*top, reference);
  }

  [[noreturn]] static void refuse(const Component& reference, const value::Remark& remark) {
    throw value::fault_at(reference.entry.origin(), reference.pointer, remark);
  }

  std::map<std::string, Place> names_;
  std::map<const Component*, const Component*> tops_;
  std::map<const Component*, State> states_;  // of top-level components
  std::set<const Component*> finished_;
};

}  // namespace

void require_references(const std::vector<const Component*>& components) {
  Making making(components);
  for (const Component* component : components) making.make(*component, *component);
}

}  // namespace broch::session
