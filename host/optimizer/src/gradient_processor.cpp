// gradient_processor.cpp: makes the host's gradient processors from their entries.
#include "optimizer/gradient_processor.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "operator_options.hpp"
#include "optimizer/preconditions.hpp"
#include "processors.hpp"

namespace broch::optimizer {

namespace {

using nlohmann::json;

NameFilter filter_of(JsonOptions& with, const std::string& where) {
  return {with.text("regex").value_or(".*"), where + ": regex"};
}

// Each gradient is shown once, for the main tower; in other towers the filter takes nothing.
NameFilter shown(const GradientSite& site, JsonOptions& with) {
  NameFilter filter = filter_of(with, site.where);
  return site.is_main ? filter : NameFilter(std::string(), site.where);
}

std::vector<Multiplier> multipliers_of(JsonOptions& with, const std::string& where) {
  constexpr const char* kExpected = "a list of pairs of a regular expression and a number";
  std::vector<Multiplier> multipliers;
  for (const json& pair : with.list("multipliers").value_or(std::vector<json>())) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
      with.refuse("multipliers", kExpected);
    const auto pattern = pair[0].get<std::string>();
    multipliers.push_back(
        {NameFilter(pattern, where + ": multipliers"), pattern, pair[1].get<double>()});
  }
  if (multipliers.empty()) with.refuse("multipliers", kExpected);
  return multipliers;
}

double limit_of(JsonOptions& with) {
  const double limit = with.number("global_norm").value_or(0);
  if (!(limit > 0)) with.refuse("global_norm", "a number above 0");
  return limit;
}

const json kRegex = {{"type", "string"},
                     {"default", ".*"},
                     {"description", "regular expression for whole names of variables"}};

json with_regex(json properties) {
  properties["regex"] = kRegex;
  return properties;
}

struct Kind {
  const char* name;
  const char* summary;
  json properties, required;
  std::function<Processor(const GradientSite&, JsonOptions& with)> make;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"filter-none-grad", "Leaves out variables that have no gradient.", json::object(),
       json::array(), [](const GradientSite&, JsonOptions&) { return filter_none_grad(); }},
      {"global-norm-clip",
       "Scales all gradients by min(1, global_norm / L2 norm of all of them).",
       {{"global_norm",
         {{"type", "number"},
          {"exclusiveMinimum", 0},
          {"description", "largest L2 norm that passes unchanged"}}}},
       {"global_norm"},
       [](const GradientSite& site, JsonOptions& with) {
         return global_norm_clip(site.backend, limit_of(with));
       }},
      {"scale-gradient",
       "Multiplies the gradients of some variables by a factor; 0 freezes a variable.",
       {{"multipliers",
         {{"type", "array"},
          {"minItems", 1},
          {"items", {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}}},
          {"description",
           "pairs of a regular expression for whole names and a factor; the first match counts"}}},
        {"verbose", {{"type", "boolean"}, {"default", true}, {"description", "log each match"}}}},
       {"multipliers"},
       [](const GradientSite& site, JsonOptions& with) {
         std::vector<Multiplier> multipliers = multipliers_of(with, site.where);
         return scale_gradient(site.backend, std::move(multipliers),
                               with.flag("verbose").value_or(true));
       }},
      {"map-gradient",
       "Applies an operator to each gradient.",
       with_regex(operator_schema(false)),
       {"operator", "arguments"},
       [](const GradientSite& site, JsonOptions& with) {
         const std::string pattern = with.text("regex").value_or(".*");
         return map_gradient(site.backend, filter_of(with, site.where), pattern,
                             read_operator(with, false));
       }},
      {"summary-gradient",
       "Adds a histogram and the root mean square of each gradient to the summaries.",
       with_regex(json::object()), json::array(),
       [](const GradientSite& site, JsonOptions& with) {
         return summary_gradient(site.backend, shown(site, with));
       }},
      {"print-gradient", "Logs shape, mean and root mean square of each gradient.",
       with_regex(json::object()), json::array(),
       [](const GradientSite& site, JsonOptions& with) {
         return print_gradient(site.backend, shown(site, with));
       }},
      {"check-gradient", "Ends the run with an error if a gradient is not finite.", json::object(),
       json::array(),
       [](const GradientSite& site, JsonOptions&) { return check_gradient(site.backend); }},
  };
  return all;
}

std::string id_of(const Kind& kind) { return std::string("broch.gradient_processor.") + kind.name; }

}  // namespace

std::unique_ptr<GradientProcessor> make_processor(const GradientSite& site,
                                                  const std::string& entry) {
  JsonEntry parsed = parse_entry_text(entry, "gradient_processor", site.where);
  std::vector<std::string> ids;
  for (const Kind& kind : kinds()) {
    ids.push_back(id_of(kind));
    if (ids.back() != parsed.use) continue;
    auto processor = kind.make(site, parsed.with);
    parsed.with.done();
    return processor;
  }
  if (site.make_instance)
    return plugin_processor(site, site.make_instance("gradient_processor", entry, site.where));
  throw base::Error{base::Exit::manifest,
                    {site.where, "the gradient processor " + base::quoted(parsed.use),
                     base::join(ids, ", ") + base::did_you_mean(parsed.use, ids), ""}};
}

void check_processor(const std::string& entry, const std::string& where) {
  if (!is_built_in(parse_entry_text(entry, "gradient_processor", where).use)) return;
  const auto backend = runtime::make_null_backend();
  make_processor({*backend, where}, entry);
}

std::vector<BuiltIn> built_in_processors() {
  std::vector<BuiltIn> all;
  for (const Kind& kind : kinds()) {
    json schema = {
        {"type", "object"}, {"additionalProperties", false}, {"properties", kind.properties}};
    if (!kind.required.empty()) schema["required"] = kind.required;
    all.push_back({id_of(kind), "gradient_processor", kind.summary, schema.dump()});
  }
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
