// optimizer_spec.cpp: one table of rules and numbers, for checking and for the schemas.
#include "train/optimizer_spec.hpp"

#include <limits>
#include <optional>

#include "base/text.hpp"
#include "json_options.hpp"

namespace broch::train {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NumberField {
  const char* name;
  std::optional<double> initial;  // none: required
  double below;                   // exclusive upper bound; the lower one is 0, inclusive
  const char* description;
};

struct RuleTable {
  const char* name;
  runtime::Rule rule;
  const char* summary;
  std::vector<NumberField> numbers;
  bool has_nesterov;
};

NumberField decay(double initial) {
  return {"weight_decay", initial, kInfinity, "L2 penalty; decoupled from the gradient in adamw"};
}

const std::vector<RuleTable>& rules() {
  using runtime::Rule;
  const NumberField required_rate{"learning_rate", std::nullopt, kInfinity, "step size"};
  const NumberField adam_rate{"learning_rate", 1e-3, kInfinity, "step size"};
  const NumberField beta1{"beta1", 0.9, 1, "decay of the mean of gradients"};
  const NumberField beta2{"beta2", 0.999, 1, "decay of the mean of squared gradients"};
  const NumberField eps{"eps", 1e-8, kInfinity, "added to the bias-corrected root"};
  static const std::vector<RuleTable> table = {
      {"sgd",
       Rule::sgd,
       "Gradient descent: w -= learning_rate * g.",
       {required_rate, decay(0)},
       false},
      {"momentum",
       Rule::momentum,
       "Gradient descent with momentum (torch.optim.SGD): m = momentum * m + (1 - dampening) * g.",
       {required_rate,
        {"momentum", 0.9, kInfinity, "decay of the accumulated gradient"},
        {"dampening", 0.0, kInfinity, "share of each gradient left out of the accumulated one"},
        decay(0)},
       true},
      {"adam",
       Rule::adam,
       "Adam (Kingma & Ba 2015), as torch.optim.Adam.",
       {adam_rate, beta1, beta2, eps, decay(0)},
       false},
      {"adamw",
       Rule::adamw,
       "AdamW (Loshchilov & Hutter 2019), as torch.optim.AdamW.",
       {adam_rate, beta1, beta2, eps, decay(1e-2)},
       false},
  };
  return table;
}

const RuleTable& rule_of(const std::string& use, const std::string& place) {
  std::vector<std::string> names;
  for (const RuleTable& rule : rules()) {
    names.push_back(std::string("broch.optimizer.") + rule.name);
    if (names.back() == use) return rule;
  }
  throw base::Error{base::Exit::manifest,
                    {place, "the optimizer " + base::quoted(use),
                     base::join(names, ", ") + base::did_you_mean(use, names), ""}};
}

double read_number(JsonOptions& with, const NumberField& field) {
  const std::optional<double> given = with.number(field.name);
  if (!given && !field.initial) with.refuse(field.name, "a number, since it has no default");
  const double value = given ? *given : *field.initial;
  if (!(value >= 0 && value < field.below))
    with.refuse(field.name, field.below == kInfinity
                                ? "a finite number of at least 0"
                                : "at least 0 and less than " + base::shortest(field.below));
  return value;
}

nlohmann::json schema_of(const RuleTable& rule) {
  nlohmann::json properties = nlohmann::json::object();
  nlohmann::json required = nlohmann::json::array();
  for (const NumberField& field : rule.numbers) {
    nlohmann::json& property = properties[field.name];
    property = {{"type", "number"}, {"minimum", 0}, {"description", field.description}};
    if (field.below != kInfinity) property["exclusiveMaximum"] = field.below;
    if (field.initial)
      property["default"] = *field.initial;
    else
      required.push_back(field.name);
  }
  if (rule.has_nesterov)
    properties["nesterov"] = {
        {"type", "boolean"}, {"default", false}, {"description", "Nesterov's momentum"}};
  nlohmann::json schema = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

}  // namespace

OptimizerSpec parse_optimizer(const std::string& entry, const std::string& place) {
  JsonEntry parsed = parse_entry_text(entry, "optimizer", place);
  const RuleTable& rule = rule_of(parsed.use, place);
  OptimizerSpec spec{parsed.use, rule.rule, false, {}};
  for (const NumberField& field : rule.numbers)
    spec.numbers.emplace_back(field.name, read_number(parsed.with, field));
  if (rule.has_nesterov) spec.nesterov = parsed.with.flag("nesterov").value_or(false);
  parsed.with.done();
  const auto number = [&](const char* name) {
    for (const auto& [key, value] : spec.numbers)
      if (key == name) return value;
    return 0.0;
  };
  if (spec.nesterov && (number("momentum") == 0 || number("dampening") != 0))
    parsed.with.refuse("nesterov", "a momentum above 0 and no dampening beside it");
  return spec;
}

std::vector<std::string> slot_names(runtime::Rule rule) {
  switch (rule) {
    case runtime::Rule::sgd:
      return {};
    case runtime::Rule::momentum:
      return {"momentum_buffer"};
    case runtime::Rule::adam:
    case runtime::Rule::adamw:
      return {"exp_avg", "exp_avg_sq"};
  }
  return {};
}

std::vector<BuiltIn> built_in_optimizers() {
  std::vector<BuiltIn> all;
  for (const RuleTable& rule : rules())
    all.push_back({std::string("broch.optimizer.") + rule.name, "optimizer", rule.summary,
                   schema_of(rule).dump()});
  return all;
}

}  // namespace broch::train
