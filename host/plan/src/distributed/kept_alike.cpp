// kept_alike.cpp: determines from the plans which variables have the same bits on all ranks.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "plan/plans.hpp"

namespace broch::plan {

namespace {

bool is_behind_all_ranks(const Plan& plan, const Node& node) {
  return node.kind == NodeKind::all_reduce || std::ranges::any_of(node.inputs, [&](uint32_t input) {
           return is_behind_all_ranks(plan, plan.nodes()[input]);
         });
}

// Whether the variable is a slot of one of these, as "fc1/W/velocity" is of "fc1/W".
bool is_slot_of(const runtime::Variable& variable, const std::set<std::string>& names) {
  if (!Optimizers::remembers_in(variable)) return false;
  for (size_t end = variable.name.rfind('/'); end != std::string::npos && end > 0;
       end = variable.name.rfind('/', end - 1))
    if (names.contains(variable.name.substr(0, end))) return true;
  return false;
}

// What the nodes of all plans update, by name.
struct Updated {
  std::map<std::string, const runtime::Variable*> alike;  // with the gradients of all ranks
  std::set<std::string> with_slots;  // those of them whose slots are on all ranks, too
  std::set<std::string> apart;       // variables that are updated in another way
  std::set<std::string> hypers;      // which the updates of alike read

  void add(const std::vector<runtime::Variable*>& variables) {
    for (const runtime::Variable* variable : variables) alike[variable->name] = variable;
  }
};

void add_served(const ParameterServerShard& served, const Optimizers& optimizers,
                Updated& updated) {
  updated.add(served.variables());
  for (const auto& replica : served.replicas()) updated.add(replica);
  for (const size_t application : served.applications())
    updated.hypers.merge(optimizers.hypers_of(application));
}

void add_applied(const Plan& plan, const Node& node, const Optimizers& optimizers,
                 Updated& updated) {
  if (!is_behind_all_ranks(plan, node)) {
    for (const runtime::Variable* variable : node.bound.list) updated.apart.insert(variable->name);
    return;
  }
  const auto& list = optimizers.updated_by(node.bound.application);
  updated.add(list);
  for (const runtime::Variable* variable : list) updated.with_slots.insert(variable->name);
  updated.hypers.merge(optimizers.hypers_of(node.bound.application));
}

}  // namespace

// Variables that are only updated with the gradients of all ranks, and whatever else decides their
// next update. Variables that are also updated in another way are left out.
std::vector<Agreed> Plans::kept_alike() const {
  Updated updated;
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes()) {
      if (node.kind == NodeKind::serve && node.bound.served)
        add_served(*node.bound.served, *deps_.optimizers, updated);
      if (node.kind == NodeKind::apply) add_applied(*plan, node, *deps_.optimizers, updated);
    }
  for (const std::string& name : updated.apart)
    updated.alike.erase(name), updated.with_slots.erase(name);
  std::vector<Agreed> list;
  for (const std::string& name : updated.hypers)
    list.push_back({"hyper-parameter " + base::quoted(name), {}, &deps_.hypers->number(name)});
  for (const auto& [name, variable] : updated.alike)
    list.push_back({"variable " + base::quoted(name), variable->value});
  for (const auto& variable : deps_.variables->all())
    if (is_slot_of(*variable, updated.with_slots))
      list.push_back({"variable " + base::quoted(variable->name), variable->value});
  return list;
}

}  // namespace broch::plan
