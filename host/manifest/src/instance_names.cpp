// instance_names.cpp: given names first, then the others in the order of the manifest.
#include "manifest/instance_names.hpp"

namespace broch::manifest {
namespace {

std::string word_of(const Component& component) { return std::string(last_word(component.use)); }

std::string take_free(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (int number = 2; !taken.insert(name).second; ++number)
    name = wanted + "-" + std::to_string(number);
  return name;
}

// What follows the name of the component around it.
std::string ending(const Component& component, const std::string& slot) {
  return component.name.empty() ? slot : "/" + component.name;
}

}  // namespace

void InstanceNames::add(const std::vector<const Component*>& components) {
  for (const Component* component : components) take_given(*component);
  for (const Component* component : components)
    if (!component->is_reference())
      name_top(*component, component->name.empty() ? take_free(word_of(*component), formerly_taken_)
                                                   : component->name);
}

void InstanceNames::take_given(const Component& component) {
  if (!component.name.empty()) {
    taken_.insert(component.name);
    formerly_taken_.insert(component.name);
  }
  for (const Component& child : component.children) take_given(child);
}

void InstanceNames::name_top(const Component& component, const std::string& former) {
  if (const Component* const inner = triggered_by_when(component))
    name_top(*inner, former + ending(*inner, inner->slot));
  names_[&component] = {
      component.name.empty() ? take_free(word_of(component), taken_) : component.name, former};
  name_children(component);
}

void InstanceNames::name_children(const Component& parent) {
  const Name name = of(parent);
  for (const Component& child : parent.children)
    if (!child.is_reference() && !names_.contains(&child)) name_inside(child, name);
}

void InstanceNames::name_inside(const Component& child, const Name& parent) {
  const std::string former = parent.former + ending(child, child.slot);
  Name& name = names_[&child];
  if (const Component* const inner = triggered_by_when(child)) {
    names_[inner] = {parent.now + ending(*inner, child.slot), former + ending(*inner, inner->slot)};
    name_children(*inner);
    name = {parent.now + child.slot + "/" + word_of(child), former};
  } else {
    name = {parent.now + ending(child, child.slot), former};
  }
  name_children(child);
}

}  // namespace broch::manifest
