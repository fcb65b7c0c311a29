// optimizer_spec.cpp: one table of rules and numbers, for checking and for the schemas; and what
// may stand around a rule.
#include "optimizer/optimizer_spec.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "abi/roles/optimizer.hpp"
#include "base/text.hpp"
#include "operator_options.hpp"
#include "optimizer/preconditions.hpp"

namespace broch::optimizer {

namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NumberField {
  const char* name;
  std::optional<double> initial;  // none: required
  std::optional<double> tf1;      // the one of the rule tf1 where that is another
  double below;                   // exclusive upper bound; the lower one is 0, inclusive
  const char* description;
};

struct FlagField {
  const char* name;
  bool OptimizerSpec::*member;
  const char* description;
};

struct RuleTable {
  const char* name;
  runtime::Rule rule;
  const char* summary;
  std::vector<NumberField> numbers;
  std::vector<FlagField> flags;
  bool has_tf1;
};

NumberField decay(double initial) {
  return {
      "weight_decay", initial, {}, kInfinity, "L2 penalty; decoupled from the gradient in adamw"};
}

const std::vector<RuleTable>& rules() {
  using runtime::Rule;
  const NumberField required_rate{"learning_rate", {}, {}, kInfinity, "step size"};
  const NumberField adam_rate{"learning_rate", 1e-3, {}, kInfinity, "step size"};
  const NumberField slow_rate{"learning_rate", 1e-2, {}, kInfinity, "step size"};
  const NumberField beta1{"beta1", 0.9, {}, 1, "decay of the mean of gradients"};
  const NumberField beta2{"beta2", 0.999, {}, 1, "decay of the mean of squared gradients"};
  const NumberField eps{"eps", 1e-8, {}, kInfinity, "added to the bias-corrected root"};
  static const std::vector<RuleTable> table = {
      {"sgd",
       Rule::sgd,
       "Gradient descent: w -= learning_rate * g.",
       {required_rate, decay(0)},
       {},
       false},
      {"momentum",
       Rule::momentum,
       "Gradient descent with momentum (torch.optim.SGD): m = momentum * m + (1 - dampening) * g.",
       {required_rate,
        {"momentum", 0.9, {}, kInfinity, "decay of the accumulated gradient"},
        {"dampening", 0.0, {}, kInfinity, "share of each gradient left out of the accumulated one"},
        decay(0)},
       {{"nesterov", &OptimizerSpec::nesterov, "Nesterov's momentum"}},
       false},
      {"adam",
       Rule::adam,
       "Adam (Kingma & Ba 2015), as torch.optim.Adam.",
       {adam_rate,
        beta1,
        beta2,
        {"eps", 1e-8, {}, kInfinity, "added to the root; bias-corrected unless the rule is tf1"},
        decay(0)},
       {},
       true},
      {"adamw",
       Rule::adamw,
       "AdamW (Loshchilov & Hutter 2019), as torch.optim.AdamW.",
       {adam_rate, beta1, beta2, eps, decay(1e-2)},
       {},
       false},
      {"rmsprop",
       Rule::rmsprop,
       "RMSprop (Hinton), as torch.optim.RMSprop.",
       {slow_rate,
        {"alpha", 0.99, 0.9, 1, "decay of the mean of squared gradients"},
        {"eps", 1e-8, 1e-10, kInfinity, "added to the root; inside of it where the rule is tf1"},
        {"momentum",
         0.0,
         {},
         kInfinity,
         "decay of the accumulated change; 0 at the start: none is kept"},
        decay(0)},
       {{"centered", &OptimizerSpec::centered, "divide by the estimated variance"}},
       true},
      {"adagrad",
       Rule::adagrad,
       "Adagrad (Duchi et al. 2011), as torch.optim.Adagrad.",
       {slow_rate,
        {"lr_decay",
         0.0,
         {},
         kInfinity,
         "the rate of update k is divided by 1 + (k - 1) * lr_decay"},
        {"eps", 1e-10, 0.0, kInfinity, "added to the root"},
        {"initial_accumulator_value", 0.0, 0.1, kInfinity, "of the sum of squared gradients"},
        decay(0)},
       {},
       true},
  };
  return table;
}

std::string id_of(const char* name) { return std::string("broch.optimizer.") + name; }

constexpr const char* kTf1 = "tf1";
constexpr const char* kTorch = "torch";

// --- what may stand around a rule

struct Wrapper {
  const char* name;
  const char* summary;
  json properties, required;
  // Called from the outermost to the innermost.
  void (*read)(OptimizerSpec& spec, JsonOptions& with);
};

void read_after(OptimizerSpec& spec, JsonOptions& with, bool assigns) {
  AfterUpdate after;
  after.variables = with.text("variables").value_or(".*");
  after.call = read_operator(with, true);
  after.assigns = assigns;
  after.with_updates = spec.niter > 1;
  spec.after.insert(spec.after.begin(), std::move(after));  // the innermost comes first
}

const std::vector<Wrapper>& wrappers() {
  static const auto with_inner = [](json properties) {
    properties["optimizer"] = {{"x-broch-component", "optimizer"},
                               {"description", "the optimizer that it is around"}};
    return properties;
  };
  static const auto after_properties = [] {
    json properties = operator_schema(true);
    properties["variables"] = {{"type", "string"},
                               {"default", ".*"},
                               {"description", "regular expression for whole names"}};
    return with_inner(properties);
  };
  static const std::vector<Wrapper> all = {
      {"proxy",
       "Another optimizer under this name.",
       with_inner(json::object()),
       {"optimizer"},
       [](OptimizerSpec&, JsonOptions&) {}},
      {"accum-grad",
       "Sums the gradients of niter runs and applies them in the last of these.",
       with_inner(
           {{"niter", {{"type", "integer"}, {"minimum", 1}, {"description", "runs for an update"}}},
            {"average",
             {{"type", "boolean"},
              {"default", false},
              {"description", "divide the sum by niter"}}}}),
       {"optimizer", "niter"},
       [](OptimizerSpec& spec, JsonOptions& with) {
         const int64_t niter = with.integer("niter").value_or(0);
         if (niter < 1) with.refuse("niter", "a whole number of at least 1");
         if (spec.niter > 1 && niter > 1) with.refuse("niter", "one accum-grad in an optimizer");
         spec.niter = std::max(spec.niter, niter);
         const bool averages = with.flag("average").value_or(false);
         if (niter > 1) spec.averages = averages;
       }},
      {"apply-grad-processors",
       "Puts gradients through processors, after towers are averaged.",
       with_inner({{"gradient_processors",
                    {{"type", "array"},
                     {"items", {{"x-broch-component", "gradient_processor"}}},
                     {"description", "what they go through, in order"}}}}),
       {"optimizer", "gradient_processors"},
       [](OptimizerSpec& spec, JsonOptions& with) {
         if (spec.niter > 1)
           with.refuse("gradient_processors",
                       "processors around accum-grad, which see the gradients of each run");
         for (const json& entry : with.list("gradient_processors").value_or(std::vector<json>()))
           spec.processors.push_back(entry.dump());
       }},
      {"post-process",
       "Calls an operator on variables after each update.",
       after_properties(),
       {"optimizer", "operator", "arguments"},
       [](OptimizerSpec& spec, JsonOptions& with) { read_after(spec, with, false); }},
      {"variable-assignment",
       "Gives variables a new value after each update.",
       after_properties(),
       {"optimizer", "operator", "arguments"},
       [](OptimizerSpec& spec, JsonOptions& with) { read_after(spec, with, true); }},
  };
  return all;
}

const Wrapper* wrapper_of(const std::string& use) {
  for (const Wrapper& wrapper : wrappers())
    if (id_of(wrapper.name) == use) return &wrapper;
  return nullptr;
}

const RuleTable& rule_of(const std::string& use, const std::string& place) {
  std::vector<std::string> names;
  for (const RuleTable& rule : rules()) {
    names.push_back(id_of(rule.name));
    if (names.back() == use) return rule;
  }
  for (const Wrapper& wrapper : wrappers()) names.push_back(id_of(wrapper.name));
  throw base::Error{base::Exit::manifest,
                    {place, "the optimizer " + base::quoted(use),
                     base::join(names, ", ") + base::did_you_mean(use, names), ""}};
}

bool is_rule(const std::string& use) {
  return std::ranges::any_of(rules(),
                             [&](const RuleTable& rule) { return id_of(rule.name) == use; });
}

void read_plugin(OptimizerSpec& spec, abi::Instance& plugin) {
  spec.plugin = &plugin;
  const abi::Optimizer::Outline outline = abi::Optimizer::make(plugin).outline();
  spec.numbers = outline.hypers;
  for (const auto& [name, initial] : outline.slots) {
    for (const char* const taken : {"step", "accum_grad", "accum_step"})
      if (name == taken)
        throw base::Error{base::Exit::plugin,
                          {plugin.label(), "a slot of the name " + base::quoted(name),
                           "another name, as the host counts and sums up under this one", ""}};
    spec.plugin_slots.push_back({name, initial});
  }
}

double read_number(JsonOptions& with, const NumberField& field, bool tf1) {
  const std::optional<double> given = with.number(field.name);
  const std::optional<double> initial = tf1 && field.tf1 ? field.tf1 : field.initial;
  if (!given && !initial) with.refuse(field.name, "a number, since it has no default");
  const double value = given ? *given : *initial;
  if (!(value >= 0 && value < field.below))
    with.refuse(field.name, field.below == kInfinity
                                ? "a finite number of at least 0"
                                : "at least 0 and less than " + base::shortest(field.below));
  return value;
}

bool read_tf1(JsonOptions& with, const RuleTable& rule) {
  if (!rule.has_tf1) return false;
  const std::string word = with.text("rule").value_or(kTorch);
  if (word != kTorch && word != kTf1) with.refuse("rule", "\"torch\" or \"tf1\"");
  return word == kTf1;
}

void read_rule(OptimizerSpec& spec, const RuleTable& rule, JsonOptions& with) {
  spec.rule = rule.rule;
  spec.tf1 = read_tf1(with, rule);
  for (const NumberField& field : rule.numbers)
    spec.numbers.emplace_back(field.name, read_number(with, field, spec.tf1));
  for (const FlagField& field : rule.flags)
    spec.*field.member = with.flag(field.name).value_or(false);
  const auto number = [&](const char* name) {
    for (const auto& [key, value] : spec.numbers)
      if (key == name) return value;
    return 0.0;
  };
  if (spec.nesterov && (number("momentum") == 0 || number("dampening") != 0))
    with.refuse("nesterov", "a momentum above 0 and no dampening beside it");
  spec.with_buffer = spec.rule == runtime::Rule::rmsprop && number("momentum") > 0;
  // A first value, no number of a step.
  spec.initial_accumulator = number("initial_accumulator_value");
  std::erase_if(spec.numbers,
                [](const auto& one) { return one.first == "initial_accumulator_value"; });
}

json schema_of(const NumberField& field) {
  json property = {{"type", "number"}, {"minimum", 0}, {"description", field.description}};
  if (field.below != kInfinity) property["exclusiveMaximum"] = field.below;
  if (field.tf1)
    property["description"] = std::string(field.description) + "; " +
                              base::shortest(*field.initial) + ", or " +
                              base::shortest(*field.tf1) + " where the rule is tf1";
  else if (field.initial)
    property["default"] = *field.initial;
  return property;
}

json object_schema(json properties, const json& required) {
  json schema = {
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

json schema_of(const RuleTable& rule) {
  json properties = json::object(), required = json::array();
  for (const NumberField& field : rule.numbers) {
    properties[field.name] = schema_of(field);
    if (!field.initial) required.push_back(field.name);
  }
  for (const FlagField& field : rule.flags)
    properties[field.name] = {
        {"type", "boolean"}, {"default", false}, {"description", field.description}};
  if (rule.has_tf1)
    properties["rule"] = {{"enum", {kTorch, kTf1}},
                          {"default", kTorch},
                          {"description",
                           "whose arithmetic and defaults: torch.optim's or "
                           "TensorFlow 1's"}};
  return object_schema(properties, required);
}

// The innermost entry, when what is around it was read.
struct Innermost {
  std::string text;
  JsonEntry entry;
};

Innermost read_wrappers(OptimizerSpec& spec, const std::string& entry, const std::string& place) {
  Innermost inmost{entry, parse_entry_text(entry, "optimizer", place)};
  while (const Wrapper* const wrapper = wrapper_of(inmost.entry.use)) {
    JsonOptions& with = inmost.entry.with;
    wrapper->read(spec, with);
    const std::optional<json> inner = with.value("optimizer");
    if (!inner) with.refuse("optimizer", "the entry of an optimizer");
    with.done();
    inmost = {inner->dump(), parse_entry(*inner, "optimizer", place)};
  }
  spec.use = inmost.entry.use;
  return inmost;
}

}  // namespace

OptimizerSpec parse_optimizer(const std::string& entry, const std::string& place,
                              const InstanceMaker& make_instance) {
  OptimizerSpec spec;
  Innermost inmost = read_wrappers(spec, entry, place);
  if (make_instance && !is_rule(spec.use)) {
    read_plugin(spec, make_instance("optimizer", inmost.text, place));
    return spec;
  }
  read_rule(spec, rule_of(spec.use, place), inmost.entry.with);
  inmost.entry.with.done();
  return spec;
}

void check_optimizer(const std::string& entry, const std::string& place) {
  OptimizerSpec spec;
  Innermost inmost = read_wrappers(spec, entry, place);
  if (is_rule(spec.use)) {
    read_rule(spec, rule_of(spec.use, place), inmost.entry.with);
    inmost.entry.with.done();
  }
  for (const std::string& processor : spec.processors) check_processor(processor, place);
}

std::vector<Slot> OptimizerSpec::slots() const {
  if (plugin) return plugin_slots;
  switch (rule) {
    case runtime::Rule::sgd:
      return {};
    case runtime::Rule::momentum:
      return {{"momentum_buffer"}};
    case runtime::Rule::adam:
    case runtime::Rule::adamw:
      return {{"exp_avg"}, {"exp_avg_sq"}};
    case runtime::Rule::rmsprop: {
      std::vector<Slot> slots{{"square_avg", tf1 ? 1.0 : 0.0}};
      if (with_buffer) slots.push_back({"momentum_buffer"});
      if (centered) slots.push_back({"grad_avg"});
      return slots;
    }
    case runtime::Rule::adagrad:
      return {{"sum", initial_accumulator}};
  }
  return {};
}

std::vector<BuiltIn> built_in_optimizers() {
  std::vector<BuiltIn> all;
  for (const RuleTable& rule : rules())
    all.push_back({id_of(rule.name), "optimizer", rule.summary, schema_of(rule).dump()});
  for (const Wrapper& wrapper : wrappers())
    all.push_back({id_of(wrapper.name), "optimizer", wrapper.summary,
                   object_schema(wrapper.properties, wrapper.required).dump()});
  return all;
}

}  // namespace broch::optimizer
