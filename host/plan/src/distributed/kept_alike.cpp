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

}  // namespace

// Variables that are only updated with the gradients of all ranks, and whatever else decides their
// next update. Variables that are also updated in another way are left out.
std::vector<Agreed> Plans::kept_alike() const {
  std::map<std::string, const runtime::Variable*> updated;
  std::set<std::string> apart, hypers, names;
  const auto add = [&](const std::vector<runtime::Variable*>& variables) {
    for (const runtime::Variable* variable : variables) updated[variable->name] = variable;
  };
  for (const auto& plan : plans_)
    for (const Node& node : plan->nodes()) {
      if (node.kind == NodeKind::serve && node.bound.served) {
        add(node.bound.served->variables());
        for (const auto& replica : node.bound.served->replicas()) add(replica);
        for (const size_t application : node.bound.served->applications())
          hypers.merge(deps_.optimizers->hypers_of(application));
      }
      if (node.kind != NodeKind::apply) continue;
      if (!is_behind_all_ranks(*plan, node)) {
        for (const runtime::Variable* variable : node.bound.list) apart.insert(variable->name);
        continue;
      }
      const auto& list = deps_.optimizers->updated_by(node.bound.application);
      add(list);
      for (const runtime::Variable* variable : list) names.insert(variable->name);
      hypers.merge(deps_.optimizers->hypers_of(node.bound.application));
    }
  std::vector<Agreed> list;
  for (const std::string& name : hypers)
    list.push_back({"hyper-parameter " + base::quoted(name), {}, &deps_.hypers->number(name)});
  for (const std::string& name : apart) updated.erase(name), names.erase(name);
  for (const auto& [name, variable] : updated)
    list.push_back({"variable " + base::quoted(name), variable->value});
  for (const auto& variable : deps_.variables->all())
    if (is_slot_of(*variable, names))
      list.push_back({"variable " + base::quoted(variable->name), variable->value});
  return list;
}

}  // namespace broch::plan
