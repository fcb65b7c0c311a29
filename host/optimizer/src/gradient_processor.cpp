// gradient_processor.cpp: makes the host's gradient processors from their entries.
#include "optimizer/gradient_processor.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "operator_options.hpp"
#include "optimizer/preconditions.hpp"
#include "options.hpp"
#include "processors.hpp"
#include "value/fault.hpp"

namespace broch::optimizer {

namespace {

using value::Value;

// Each gradient is shown once, for the main tower; in other towers the filter takes nothing.
NameFilter shown(const GradientSite& site, Options& with) {
  NameFilter filter = with.filter("regex");
  return site.is_main ? filter : NameFilter(std::string(), "");
}

bool is_multiplier(const Value& value) {
  if (!value.is(Value::Kind::array) || value.array().size() != 2) return false;
  return value.array()[0].is(Value::Kind::string) && value.array()[1].is_number();
}

std::vector<Multiplier> multipliers_of(Options& with) {
  constexpr const char* kExpected = "a list of pairs of a regular expression and a number";
  std::vector<Multiplier> multipliers;
  for (const Entry& item : with.list("multipliers")) {
    if (!is_multiplier(item.value)) with.refuse("multipliers", kExpected);
    const std::string& pattern = item.value.array()[0].string();
    multipliers.push_back(
        {NameFilter(pattern, with.place("multipliers")), pattern, item.value.array()[1].number()});
  }
  if (multipliers.empty()) with.refuse("multipliers", kExpected);
  return multipliers;
}

double limit_of(Options& with, const char* key) {
  const double limit = with.number(key).value_or(0);
  if (!(limit > 0)) with.refuse(key, "a number above 0");
  return limit;
}

Selection selection_of(Options& with) {
  return {with.filter("regex"), with.text("regex").value_or(".*")};
}

Properties with_regex(Properties options) {
  options.merge(properties(R"({"regex": {
    "default": ".*", "description": "regular expression for whole names of variables",
    "type": "string"
  }})"));
  return options;
}

struct Kind {
  const char* name;
  const char* summary;
  Properties options;
  std::vector<std::string> required;
  std::function<Processor(const GradientSite&, Options& with)> make;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"filter-none-grad",
       "Leaves out variables that have no gradient.",
       {},
       {},
       [](const GradientSite&, Options&) { return filter_none_grad(); }},
      {"global-norm-clip",
       "Scales all gradients by min(1, global_norm / L2 norm of all of them).",
       properties(R"({"global_norm": {
         "description": "largest L2 norm that passes unchanged",
         "exclusiveMinimum": 0, "type": "number"
       }})"),
       {"global_norm"},
       [](const GradientSite& site, Options& with) {
         return global_norm_clip(site.backend, limit_of(with, "global_norm"));
       }},
      {"norm-clip",
       "Scales each gradient by min(1, norm / its own L2 norm).",
       with_regex(properties(R"({
         "average": {
           "default": false,
           "description": "compare the L2 norm divided by the number of elements",
           "type": "boolean"
         },
         "norm": {
           "description": "largest norm of one gradient that passes unchanged",
           "exclusiveMinimum": 0, "type": "number"
         }
       })")),
       {"norm"},
       [](const GradientSite& site, Options& with) {
         Selection selection = selection_of(with);
         const double limit = limit_of(with, "norm");
         return norm_clip(site.backend, std::move(selection), limit,
                          with.flag("average").value_or(false));
       }},
      {"scale-gradient",
       "Multiplies the gradients of some variables by a factor; 0 freezes a variable.",
       properties(R"({
         "multipliers": {
           "description":
             "pairs of a regular expression for whole names and a factor; the first match counts",
           "items": {"maxItems": 2, "minItems": 2, "type": "array"}, "minItems": 1, "type": "array"
         },
         "verbose": {"default": true, "description": "log each match", "type": "boolean"}
       })"),
       {"multipliers"},
       [](const GradientSite& site, Options& with) {
         std::vector<Multiplier> multipliers = multipliers_of(with);
         return scale_gradient(site.backend, std::move(multipliers),
                               with.flag("verbose").value_or(true));
       }},
      {"map-gradient",
       "Applies an operator to each gradient.",
       with_regex(operator_properties(/*variable_only=*/false)),
       {"operator", "arguments"},
       [](const GradientSite& site, Options& with) {
         Selection selection = selection_of(with);
         return map_gradient(site.backend, std::move(selection),
                             read_operator(with, /*variable_only=*/false));
       }},
      {"summary-gradient",
       "Adds a histogram and the root mean square of each gradient to the summaries.",
       with_regex({}),
       {},
       [](const GradientSite& site, Options& with) {
         return summary_gradient(site.backend, shown(site, with));
       }},
      {"print-gradient",
       "Logs shape, mean and root mean square of each gradient.",
       with_regex({}),
       {},
       [](const GradientSite& site, Options& with) {
         return print_gradient(site.backend, shown(site, with));
       }},
      {"check-gradient",
       "Ends the run with an error if a gradient is not finite.",
       {},
       {},
       [](const GradientSite& site, Options&) { return check_gradient(site.backend); }},
  };
  return all;
}

std::string id_of(const Kind& kind) { return std::string("broch.gradient_processor.") + kind.name; }

}  // namespace

std::unique_ptr<GradientProcessor> make_processor(const GradientSite& site, const Entry& entry) {
  Component parsed = read_entry(entry, "gradient_processor");
  std::vector<std::string> ids;
  for (const Kind& kind : kinds()) {
    ids.push_back(id_of(kind));
    if (ids.back() != parsed.use) continue;
    auto processor = kind.make(site, parsed.with);
    parsed.with.done();
    return processor;
  }
  if (site.make_instance)
    return plugin_processor(site, site.make_instance("gradient_processor", entry));
  throw value::fault_at(
      entry.value.origin(), entry.pointer,
      {"the gradient processor " + base::quoted(parsed.use),
       base::join(ids, ", ") + base::did_you_mean(parsed.use, ids), "name another"});
}

void check_processor(const Entry& entry) {
  if (!is_built_in(read_entry(entry, "gradient_processor").use)) return;
  const auto backend = runtime::make_null_backend();
  make_processor({*backend}, entry);
}

std::vector<BuiltIn> built_in_processors() {
  std::vector<BuiltIn> all;
  for (const Kind& kind : kinds())
    all.push_back({id_of(kind), "gradient_processor", kind.summary,
                   options_schema(kind.options, kind.required)});
  return all;
}

std::vector<BuiltIn> built_ins() {
  std::vector<BuiltIn> all = built_in_optimizers();
  for (BuiltIn& processor : built_in_processors()) all.push_back(std::move(processor));
  return all;
}

bool is_built_in(const std::string& id) {
  static const std::vector<BuiltIn> all = built_ins();
  return std::ranges::find(all, id, &BuiltIn::id) != all.end();
}

}  // namespace broch::optimizer
