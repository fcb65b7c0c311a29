// instance_names.hpp: how the instances of a run are called, those inside others included. No two
// have the same name.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "manifest/component.hpp"

namespace broch::manifest {

class InstanceNames {
 public:
  struct Name {
    std::string now;
    // By programs up to 0.1, for which what "when" triggers was inside the callback that "when"
    // stands for. Checkpoints have these names.
    std::string former;
  };
  // Names components of the top level and those inside them. One without a name is called after its
  // component, or after its place in another one. What "when" triggers is called as it would be
  // without "when". Called once per component, and before of().
  void add(const std::vector<const Component*>& components);
  const Name& of(const Component& component) const { return names_.at(&component); }

 private:
  void take_given(const Component& component);
  void name_top(const Component& component, const std::string& former);
  void name_children(const Component& parent);
  void name_inside(const Component& child, const Name& parent);

  std::map<const Component*, Name> names_;
  std::set<std::string> taken_, formerly_taken_;
};

}  // namespace broch::manifest
