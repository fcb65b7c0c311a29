// optimizers.cpp: which rules there are, and which variables lie in one flat buffer.
#include "optimizer/optimizers.hpp"

#include <algorithm>
#include <utility>

#include "after.hpp"
#include "base/error.hpp"
#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

namespace {

constexpr size_t kLarge = size_t{1} << 20;  // bytes

}  // namespace

Optimizers::Optimizers(tower::RunContext& context)
    : context_(context),
      store_(*context.variables),
      hypers_(*context.hypers),
      add_(store_.backend().resolve(
          "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)")),
      times_(store_.backend().resolve(
          "aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)")),
      zero_(store_.backend().resolve("aten::zero_(Tensor(a!) self) -> Tensor(a!)")),
      lerp_(store_.backend().resolve(
          "aten::lerp_.Scalar(Tensor(a!) self, Tensor end, Scalar weight) -> Tensor(a!)")) {}

Optimizers::~Optimizers() = default;

size_t Optimizers::add(OptimizerSpec spec, std::vector<runtime::Variable*> variables,
                       const std::string& node, const std::string& where,
                       const MakeChain& make_chain) {
  size_t rule = 0;
  while (rule < rules_.size() && rules_[rule].spec != spec) ++rule;
  if (rule == rules_.size()) {
    const bool counts = spec.counts();
    rules_.push_back({std::move(spec), node, where, "", {}, counts});
  }
  Application application{rule, node, std::move(variables), nullptr, {}, {}};
  application.chain = chain_of(application, make_chain);
  add_after(application, where);
  applications_.push_back(std::move(application));
  return applications_.size() - 1;
}

// Several nodes that apply a rule to the same variables have the same sums, and one chain for them.
std::shared_ptr<GradientOperation> Optimizers::chain_of(const Application& application,
                                                        const MakeChain& make_chain) const {
  if (rules_[application.rule].spec.sum_processors.empty()) return nullptr;
  for (const Application& other : applications_)
    if (other.rule == application.rule && other.variables == application.variables)
      return other.chain;
  return make_chain(application.variables);
}

bool Optimizers::Application::updates(const runtime::Variable& variable) const {
  return !chain || std::ranges::find(chain->kept(), &variable) != chain->kept().end();
}

void Optimizers::add_after(Application& application, const std::string& where) {
  for (const AfterUpdate& one : rules_[application.rule].spec.after) {
    const NameFilter filter(one.variables, where + ": variables");
    After after{{store_.backend(), one.call}, one.assigns, {}};
    for (runtime::Variable* variable : application.variables)
      if (filter.takes(*variable) && application.updates(*variable))
        after.variables.push_back(variable);
    if (!after.variables.empty())  // another application may update those that it names
      application.after.push_back(std::make_shared<const After>(std::move(after)));
  }
}

void Optimizers::build() {
  name_hypers();
  make_groups();
  for (; built_ < applications_.size(); ++built_) bind(applications_[built_]);
}

void Optimizers::name_hypers() {
  for (; named_ < rules_.size(); ++named_) {
    Rule& rule = rules_[named_];
    if (rules_.size() > 1) choose_prefix(rule);
    for (const auto& [name, initial] : rule.spec.numbers)
      hypers_.declare(rule.prefix + name, initial, kMaker);
    if (rule.spec.plugin) continue;
    for (const runtime::RuleNumber& number : runtime::update_rule(rule.spec.settings.rule).numbers)
      if (number.member)
        rule.numbers.emplace_back(number.member, &hypers_.number(rule.prefix + number.name));
  }
}

// Two plans may have nodes of the same name, so the prefix is checked.
void Optimizers::choose_prefix(Rule& rule) {
  rule.prefix = rule.node + "/";
  for (size_t i = 0; i < named_; ++i)
    if (rules_[i].prefix == rule.prefix)
      throw base::Error{base::Exit::training,
                        {rule.where, "an optimizer of its own under a name of " + rules_[i].where,
                         "another name, as hyper-parameters are named after the node",
                         "give one of them the option \"name\""}};
}

// Groups the variables that are not in a buffer yet by their keys, in order of first use.
void Optimizers::make_groups() {
  std::vector<runtime::Variable*> fresh;
  std::map<runtime::Variable*, std::vector<size_t>> users;
  for (size_t i = built_; i < applications_.size(); ++i)
    for (runtime::Variable* variable : applications_[i].variables) {
      if (group_of(variable)) continue;
      if (users[variable].empty()) fresh.push_back(variable);
      users[variable].push_back(i);
    }
  std::vector<std::pair<GroupKey, std::vector<runtime::Variable*>>> buckets;
  for (runtime::Variable* variable : fresh) {
    const GroupKey key = key_of(*variable, users[variable]);
    auto bucket = std::ranges::find(buckets, key, [](const auto& entry) { return entry.first; });
    if (bucket == buckets.end()) bucket = buckets.insert(buckets.end(), {key, {}});
    bucket->second.push_back(variable);
  }
  for (const auto& [key, variables] : buckets) make_group(key, variables);
}

void Optimizers::make_group(const GroupKey& key, const std::vector<runtime::Variable*>& variables) {
  Group& group = groups_.emplace_back();
  group.variables = variables;
  group.parameters = store_.lay_out(variables).buffer;
  group.alone = key.alone;
  if (!group.alone) group.gradients = store_.backend().flat_zeros_like(values_of(variables));
}

// users: the applications that have the variable.
Optimizers::GroupKey Optimizers::key_of(const runtime::Variable& variable,
                                        const std::vector<size_t>& users) const {
  std::vector<bool> updated;
  for (const size_t user : users) updated.push_back(applications_[user].updates(variable));
  return {.users = users,
          .factors = factors_of(variable, users),
          .updated = std::move(updated),
          .dtype = variable.dtype,
          .device = variable.device,
          .alone = descends_alone(variable, users) ? &variable : nullptr};
}

std::vector<double> Optimizers::factors_of(const runtime::Variable& variable,
                                           const std::vector<size_t>& users) const {
  std::vector<double> all;
  for (const size_t application : users) {
    const OptimizerSpec& spec = rules_[applications_[application].rule].spec;
    for (const double factor : spec.groups.factors_for(variable, spec.numbers))
      all.push_back(factor);
  }
  return all;
}

// Whether the variable is large and only under plain descent: then it is a group of its own.
bool Optimizers::descends_alone(const runtime::Variable& variable,
                                const std::vector<size_t>& users) const {
  const auto bytes =
      static_cast<size_t>(variable.shape.elements()) * runtime::dtype_size(variable.dtype);
  return bytes >= kLarge && std::ranges::all_of(users, [&](size_t application) {
           return rules_[applications_[application].rule].spec.is_plain_descent();
         });
}

Optimizers::Group* Optimizers::group_of(const runtime::Variable* variable) {
  for (Group& group : groups_)
    if (std::ranges::find(group.variables, variable) != group.variables.end()) return &group;
  return nullptr;
}

void Optimizers::bind(Application& application) {
  const auto place_of = [&](runtime::Variable* variable) {
    return static_cast<size_t>(std::ranges::find(application.variables, variable) -
                               application.variables.begin());
  };
  for (Group& group : groups_) {
    Part part{&group, nullptr, {}, application.updates(*group.variables.front())};
    for (runtime::Variable* variable : group.variables)
      part.positions.push_back(place_of(variable));
    const auto missing = std::ranges::count(part.positions, application.variables.size());
    if (static_cast<size_t>(missing) == part.positions.size()) continue;
    require_whole(group, application, missing > 0);
    require_same_list(group, application);
    part.state = &state_of(group, application.rule, part.updates);
    application.parts.push_back(std::move(part));
  }
}

// A group that an earlier plan has made is updated as a whole. partly: an application has some of
// its variables alone.
void Optimizers::require_whole(const Group& group, const Application& application,
                               bool partly) const {
  const OptimizerSpec& spec = rules_[application.rule].spec;
  const auto factors = spec.groups.factors_for(*group.variables.front(), spec.numbers);
  const bool updated = application.updates(*group.variables.front());
  const bool alike = std::ranges::all_of(group.variables, [&](const runtime::Variable* variable) {
    return application.updates(*variable) == updated &&
           spec.groups.factors_for(*variable, spec.numbers) == factors;
  });
  if (!partly && alike) return;
  const std::string found = partly ? "some of" : "different settings for";
  throw base::Error{base::Exit::training,
                    {"node '" + application.node + "'",
                     found + " the variables that an earlier plan updates together",
                     partly ? "all of them or none" : "the same settings for all of them",
                     "make all plans that update variables in the trainer's setup_graph"}};
}

// Sums that processors take together must be complete in the same run.
void Optimizers::require_same_list(const Group& group, const Application& application) const {
  if (!application.chain) return;
  for (const Application& other : applications_)
    if (other.rule == application.rule && other.variables != application.variables &&
        std::ranges::find(other.parts, &group, &Part::group) != other.parts.end())
      throw base::Error{base::Exit::training,
                        {"node '" + application.node + "'",
                         "some of the variables of node '" + other.node +
                             "', with the same optimizer, whose gradient processors inside of "
                             "accum-grad take the sums of all of them together",
                         "the same variables in both nodes, or none in common",
                         "give one of the nodes an optimizer of its own"}};
}

std::vector<runtime::Tensor> Optimizers::values_of(
    const std::vector<runtime::Variable*>& variables) {
  std::vector<runtime::Tensor> values;
  for (const runtime::Variable* variable : variables) values.push_back(variable->value);
  return values;
}

}  // namespace broch::optimizer
