// optimizer_spec.cpp: reads the entry of an optimizer with the descriptors of the rules.
#include "optimizer/optimizer_spec.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "abi/roles/optimizer.hpp"
#include "base/text.hpp"
#include "optimizer/preconditions.hpp"
#include "options.hpp"
#include "value/fault.hpp"
#include "wrappers.hpp"

namespace broch::optimizer {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr const char* kTf1 = "tf1";
constexpr const char* kTorch = "torch";

const runtime::UpdateRule& rule_of(const std::string& use, const Entry& entry) {
  std::vector<std::string> names;
  for (const runtime::UpdateRule& rule : runtime::update_rules()) {
    names.push_back(optimizer_id(rule.name));
    if (names.back() == use) return rule;
  }
  for (const Wrapper& wrapper : wrappers()) names.push_back(optimizer_id(wrapper.name));
  throw value::fault_at(entry.value.origin(), entry.pointer,
                        {"the optimizer " + base::quoted(use),
                         base::join(names, ", ") + base::did_you_mean(use, names), "name another"});
}

bool is_rule(const std::string& use) {
  return std::ranges::any_of(runtime::update_rules(), [&](const runtime::UpdateRule& rule) {
    return optimizer_id(rule.name) == use;
  });
}

void read_plugin(OptimizerSpec& spec, abi::Instance& plugin) {
  spec.plugin = &plugin;
  const abi::Optimizer::Spec given = abi::Optimizer::make(plugin).spec();
  spec.numbers = given.hyper_params;
  for (const auto& [name, initial] : given.slots) {
    for (const char* const taken : runtime::own_state())
      if (name == taken)
        throw base::Error{base::Exit::plugin,
                          {plugin.label(), "a slot of the name " + base::quoted(name),
                           "another name, as the host counts updates, sums up gradients or keeps "
                           "the weights of lookahead under this one",
                           ""}};
    spec.plugin_slots.push_back({name, initial});
  }
}

double read_number(Options& with, const runtime::RuleNumber& field, bool tf1) {
  const std::optional<double> given = with.number(field.name);
  const std::optional<double> initial =
      tf1 && field.initial_tf1 ? field.initial_tf1 : field.initial;
  if (!given && !initial) with.refuse(field.name, "a number, since it has no default");
  const double value = given ? *given : *initial;
  if (!(value >= 0 && value < field.below))
    with.refuse(field.name, field.below == kInfinity
                                ? "a finite number of at least 0"
                                : "at least 0 and less than " + base::shortest(field.below));
  return value;
}

bool read_tf1(Options& with, const runtime::UpdateRule& rule) {
  if (!rule.has_tf1) return false;
  const std::string word = with.text("rule").value_or(kTorch);
  if (word != kTorch && word != kTf1) with.refuse("rule", "\"torch\" or \"tf1\"");
  return word == kTf1;
}

void read_rule(OptimizerSpec& spec, const runtime::UpdateRule& rule, Options& with) {
  runtime::UpdateSettings& settings = spec.settings;
  settings.rule = rule.rule;
  settings.tf1 = read_tf1(with, rule);
  for (const runtime::RuleNumber& field : rule.numbers) {
    const double value = read_number(with, field, settings.tf1);
    if (field.setting)
      settings.*field.setting = value;
    else
      spec.numbers.emplace_back(field.name, value);
  }
  for (const runtime::RuleFlag& field : rule.flags)
    settings.*field.member = with.flag(field.name).value_or(false);
  const auto number = [&](const char* name) {
    for (const auto& [key, value] : spec.numbers)
      if (key == name) return value;
    return 0.0;
  };
  if (settings.nesterov && (number("momentum") == 0 || number("dampening") != 0))
    with.refuse("nesterov", "a momentum above 0 and no dampening beside it");
  if (settings.amsgrad && settings.tf1)
    with.refuse("amsgrad", "false beside the rule tf1, since TensorFlow 1 does not have it");
  settings.with_buffer = number("momentum") > 0;
}

// What remains of an entry after its wrappers have been read.
struct Innermost {
  Entry entry;
  Options with;
};

Innermost read_wrappers(OptimizerSpec& spec, Entry entry) {
  while (true) {
    auto [use, with] = read_entry(entry, "optimizer");
    const Wrapper* const wrapper = wrapper_of(use);
    if (!wrapper) {
      spec.use = std::move(use);
      return {std::move(entry), std::move(with)};
    }
    wrapper->read(spec, with);
    std::optional<Entry> inner = with.entry("optimizer");
    if (!inner) with.refuse("optimizer", "the entry of an optimizer");
    with.done();
    entry = std::move(*inner);
  }
}

}  // namespace

OptimizerSpec read_optimizer(const Entry& entry, const InstanceMaker& make_instance) {
  OptimizerSpec spec;
  Innermost inmost = read_wrappers(spec, entry);
  if (make_instance && !is_rule(spec.use)) {
    read_plugin(spec, make_instance("optimizer", inmost.entry));
  } else {
    read_rule(spec, rule_of(spec.use, inmost.entry), inmost.with);
    inmost.with.done();
  }
  spec.groups.check_factors(spec.numbers);
  return spec;
}

void check_optimizer(const Entry& entry) {
  OptimizerSpec spec;
  Innermost inmost = read_wrappers(spec, entry);
  if (is_rule(spec.use)) {
    read_rule(spec, rule_of(spec.use, inmost.entry), inmost.with);
    inmost.with.done();
    spec.groups.check_factors(spec.numbers);
  }
  for (const auto* list : {&spec.processors, &spec.sum_processors})
    for (const Entry& processor : *list) check_processor(processor);
}

std::vector<int64_t> OptimizerSpec::slot_shape(size_t slot,
                                               const runtime::Variable& variable) const {
  const auto shape = variable.shape.span();
  if (plugin) return abi::Optimizer::make(*plugin).slot_shape(slot, shape);
  return {shape.begin(), shape.end()};
}

void OptimizerSpec::check_variables(const std::vector<runtime::Variable*>& variables,
                                    const std::string& where) const {
  groups.check_variables(variables);
  for (const AfterUpdate& one : after) {
    const NameFilter filter(one.variables, where + ": variables");
    if (std::ranges::none_of(variables, [&](const auto* each) { return filter.takes(*each); }))
      throw base::Error{base::Exit::training,
                        {where + ": variables", base::quoted(one.variables),
                         "an expression that matches a variable that is updated", ""}};
  }
}

std::vector<Slot> OptimizerSpec::slots() const {
  if (plugin) return plugin_slots;
  std::vector<Slot> slots;
  for (const runtime::RuleSlot& slot : runtime::update_rule(settings.rule).slots)
    if (slot.is_there(settings))
      slots.push_back({slot.name, slot.initial ? slot.initial(settings) : 0});
  return slots;
}

}  // namespace broch::optimizer
