// plan_binding.cpp: binds the nodes of a plan to towers, processors and optimizers.
#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "optimizer/gradient_chain.hpp"
#include "optimizer/gradient_sum.hpp"
#include "optimizer/name_filter.hpp"
#include "plan/plans.hpp"
#include "runtime/placement.hpp"
#include "value/concealed.hpp"
#include "value/json.hpp"

namespace broch::plan {

namespace {

// source: what gave the texts, for messages.
std::vector<Entry> entries_of(const std::vector<std::string>& texts, const std::string& source) {
  std::vector<Entry> entries;
  for (const std::string& text : texts) entries.push_back(parse_entry(text, source));
  return entries;
}

std::string in_words(const std::vector<Entry>& entries) {
  std::vector<std::string> texts;
  for (const Entry& entry : entries)
    texts.push_back(value::to_text(value::as_manifest(entry.value)));
  return base::join(texts, ", ");
}

// Whether the node's gradients come from the main tower or from several towers.
bool is_of_main(const Plan& plan, const Node& node) {
  const Node* at = &node;
  while (at->kind != NodeKind::tower) {
    if (at->inputs.size() > 1) return true;
    at = &plan.nodes()[at->inputs[0]];
  }
  return at->bound.tower->spec().is_main();
}

void require_cpu(const Plan& plan, const Node& node) {
  for (const runtime::Variable* variable : node.bound.list)
    if (variable->device.type != BROCH_DL_CPU)
      base::fail(base::Exit::training, plan.describe(node),
                 "a gradient on " + to_string(variable->device),
                 "gradients on the CPU, which is where parameter servers keep variables");
}

// What is sent between ranks lies in one buffer.
void require_one_memory(const Plan& plan, const Node& node) {
  const runtime::Device first = node.bound.list[0]->device;
  for (const runtime::Variable* variable : node.bound.list)
    if (!runtime::share_memory(variable->device, first))
      base::fail(base::Exit::training, plan.describe(node),
                 "gradients on " + to_string(first) + " and " + to_string(variable->device),
                 "all of them on one device, or on the CPU");
}

using Names = std::vector<std::string>;

// Names without the replica.
Names names_of(const std::vector<runtime::Variable*>& variables) {
  Names names;
  for (const runtime::Variable* variable : variables) names.push_back(variable->bare());
  return names;
}

// The names of the first list that the second one lacks.
std::string missing(const Names& first, const Names& second) {
  Names names;
  std::ranges::copy_if(first, std::back_inserter(names), [&](const std::string& name) {
    return std::ranges::find(second, name) == second.end();
  });
  return names.empty() ? "nothing" : base::join(names, ", ");
}

}  // namespace

void Plans::bind_tower(Plan& plan, Node& node) {
  if (!deps_.towers)
    base::fail(base::Exit::training, plan.describe(node), "a tower in a run without a model",
               "a model", "name one in the manifest");
  const tower::TowerSpec& spec = node.as<TowerNode>().tower;
  std::vector<runtime::Device> devices = spec.variable_devices;
  devices.push_back(spec.device);
  for (const runtime::Device device : devices)
    if (!deps_.backend->has_device(device))
      base::fail(base::Exit::training, plan.describe(node) + ": device", to_string(device),
                 "a device of this machine", deps_.backend->why_not(device));
  node.bound.tower = &deps_.towers->get(spec);
}

// Comes before the gradients are bound, as the rules say which variables need none.
void Plans::read_rules(Plan& plan) {
  for (Node& node : plan.nodes()) {
    if (node.kind != NodeKind::apply && node.kind != NodeKind::serve) continue;
    const std::optional<std::string>& own = node.kind == NodeKind::apply
                                                ? node.as<ApplyNode>().optimizer
                                                : node.as<ServeNode>().optimizer;
    const std::string where = plan.describe(node) + ": optimizer";
    node.bound.rule = read_optimizer(own ? parse_entry(*own, where) : default_optimizer(where),
                                     deps_.make_instance);
    node.bound.rule->check_variables(deps_.variables->with_flags(BROCH_VARIABLE_TRAINABLE),
                                     plan.describe(node));
  }
}

void Plans::bind_reduce(Plan& plan, Node& node) {
  node.bound.list = plan.nodes()[node.inputs[0]].bound.list;
  const Names names = names_of(node.bound.list);
  for (const uint32_t input : node.inputs) {
    const Node& other = plan.nodes()[input];
    const Names theirs = names_of(other.bound.list);
    if (theirs == names) continue;
    base::fail(base::Exit::training, plan.describe(node),
               "gradients of different variables: only " +
                   plan.describe(plan.nodes()[node.inputs[0]]) + " has " + missing(names, theirs) +
                   "; only " + plan.describe(other) + " has " + missing(theirs, names),
               "the same variables in the same order from every tower",
               "let the tower function compute the same in every tower");
  }
  const auto& [mean, scale, by_nccl] = node.as<ReduceNode>();
  const size_t lists = node.inputs.size();
  const double factor = mean ? scale / static_cast<double>(lists) : scale;
  if (lists > 1 || factor != 1)
    node.bound.operation =
        make_gradient_sum(*deps_.context, plan.owner(), plan.name() + "/" + node.name, lists,
                          factor, by_nccl, node.bound.list);
}

void Plans::bind_all_reduce(Plan& plan, Node& node) {
  node.bound.list = plan.nodes()[node.inputs[0]].bound.list;
  const size_t world = deps_.group ? deps_.group->ranks().world : 1;
  const auto& [mean, scale, float16] = node.as<AllReduceNode>();
  const double factor = mean ? scale / static_cast<double>(world) : scale;
  if (deps_.group) {
    require_one_memory(plan, node);
    const RankGather::Ranks ranks{deps_.group, [this] { return another_group(); },
                                  [this] { return deps_.interrupt->rank_flags(); }};
    node.bound.gather =
        std::make_unique<RankGather>(*deps_.backend, ranks, node.bound.list, float16);
  }
  if (world > 1 || factor != 1)
    node.bound.operation =
        make_gradient_sum(*deps_.context, plan.owner(), plan.name() + "/" + node.name, world,
                          factor, false, node.bound.list);
}

// All ranks bind the same nodes in the same order, so they make the same groups.
std::unique_ptr<dist::Group> Plans::another_group() {
  return deps_.group->first(deps_.group->ranks().world, dist::kFirstNumber + groups_++);
}

void Plans::check_root(const Plan& plan, const Node& node) const {
  const uint32_t world = deps_.group ? deps_.group->ranks().world : 1;
  const uint32_t root = node.as<BroadcastNode>().root;
  if (root >= world)
    base::fail(base::Exit::training, plan.describe(node) + ": root", std::to_string(root),
               "a rank below " + std::to_string(world));
}

void Plans::bind_process(Plan& plan, Node& node) {
  node.bound.list = plan.nodes()[node.inputs[0]].bound.list;
  const auto& own = node.as<ProcessNode>().processors;
  process_by(plan, node, own ? entries_of(*own, plan.describe(node)) : deps_.processors);
}

// Finds the variables that the node updates.
void Plans::bind_update(Plan& plan, Node& node, const std::optional<std::string>& variables) {
  const OptimizerSpec& rule = *node.bound.rule;
  const NameFilter filter(variables, plan.describe(node) + ": variables");
  const std::vector<runtime::Variable*>& given = plan.nodes()[node.inputs[0]].bound.list;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!filter.takes(*given[i]) || rule.groups.freeze(*given[i])) continue;
    node.bound.list.push_back(given[i]);
    node.bound.positions.push_back(i);
    const std::string remark = rule.groups.remark_on(*given[i], rule.numbers);
    if (!remark.empty()) remarks_[given[i]->bare()] = remark;
  }
  if (node.bound.list.empty())
    base::fail(base::Exit::training, plan.describe(node) + ": variables",
               base::quoted(variables.value_or("")),
               "an expression that matches a variable with a gradient");
  process_by(plan, node, rule.processors);
}

void Plans::bind_apply(Plan& plan, Node& node) {
  bind_update(plan, node, node.as<ApplyNode>().variables);
  if (const std::optional<std::string>& replica = node.as<ApplyNode>().replica)
    for (runtime::Variable*& variable : node.bound.list)
      variable = &of_replica(plan, node, *replica, *variable);
  const OptimizerSpec& rule = *node.bound.rule;
  node.bound.application = deps_.optimizers->add(
      rule, node.bound.list, node.name, plan.describe(node),
      [&](std::vector<runtime::Variable*> summed) {
        return make_chain(plan, node, rule.sum_processors, std::move(summed), node.name + "/sums");
      });
}

void Plans::bind_serve(Plan& plan, Node& node) {
  if (const auto& processors = node.bound.rule->sum_processors; !processors.empty())
    base::fail(base::Exit::training, plan.describe(node) + ": optimizer",
               "gradient processors inside of accum-grad: " + in_words(processors),
               "none there, as each parameter server has the sums of its own variables alone",
               "put apply-grad-processors around accum-grad, or use a trainer without parameter "
               "servers, such as allreduce");
  bind_update(plan, node, node.as<ServeNode>().variables);
  require_cpu(plan, node);
  std::vector<std::vector<runtime::Variable*>> replicas;
  for (const std::string& replica : node.as<ServeNode>().to) {
    replicas.emplace_back();
    for (const runtime::Variable* variable : node.bound.list)
      replicas.back().push_back(&of_replica(plan, node, replica, *variable));
  }
  node.bound.served = std::make_unique<ParameterServerShard>(
      ParameterServerShard::Deps{deps_.backend, deps_.variables, deps_.hypers, deps_.optimizers,
                                 deps_.everyone},
      served_lists().size(), node.bound.list, std::move(replicas),
      [&](std::vector<runtime::Variable*> served) {
        return deps_.optimizers->add(*node.bound.rule, std::move(served), node.name,
                                     plan.describe(node));
      });
}

// Adds a chain of processors to a node. The node's list is reduced to what they keep.
void Plans::process_by(Plan& plan, Node& node, const std::vector<Entry>& entries) {
  if (entries.empty()) return;
  node.bound.operation = make_chain(plan, node, entries, std::move(node.bound.list), node.name);
  node.bound.list = node.bound.operation->kept();
}

// name: of the chain in its plan.
std::unique_ptr<GradientOperation> Plans::make_chain(Plan& plan, const Node& node,
                                                     const std::vector<Entry>& entries,
                                                     std::vector<runtime::Variable*> variables,
                                                     const std::string& name) {
  const GradientSite site{*deps_.backend, is_of_main(plan, node), deps_.variables,
                          deps_.make_instance};
  GradientProcessors processors;
  for (const Entry& entry : entries) processors.push_back(make_processor(site, entry));
  auto chain = make_gradient_chain(*deps_.context, plan.owner(), plan.name() + "/" + name,
                                   std::move(processors), std::move(variables));
  if (!chain->kept().empty()) return chain;
  base::fail(base::Exit::training, plan.describe(node) + (node.bound.rule ? ": optimizer" : ""),
             "gradient processors that leave no gradient: " + in_words(entries),
             "at least one variable that is updated",
             "let one of them keep a variable, or leave the processors out");
}

runtime::Variable& Plans::of_replica(const Plan& plan, const Node& node, const std::string& replica,
                                     const runtime::Variable& variable) const {
  if (runtime::Variable* found = deps_.variables->find(variable.bare(), replica)) return *found;
  base::fail(base::Exit::training, plan.describe(node) + ": replica",
             base::quoted(replica) + ", which has no variable '" + variable.bare() + "'",
             "the vs_name of a tower of this plan");
}

const Entry& Plans::default_optimizer(const std::string& where) {
  if (!deps_.optimizer) {
    abi::Model& model = deps_.towers->model();
    const std::string text = model.optimizer();
    if (!text.empty())
      deps_.optimizer = parse_entry(text, "optimizer of " + model.instance().label());
  }
  if (!deps_.optimizer)
    base::fail(base::Exit::manifest, where, "none in the manifest and none of the model",
               "one of them", "set \"optimizer\" in the manifest, for example {\"use\": \"adam\"}");
  return *deps_.optimizer;
}

}  // namespace broch::plan
