// results.cpp: cells and JSON.
#include "sweep/results.hpp"

#include <cmath>

#include "base/text.hpp"
#include "short_names.hpp"
#include "value/json.hpp"
#include "value/make.hpp"

namespace broch::sweep {
namespace {

std::string shown(const Value* value) {
  if (!value) return "-";
  if (value->is(Value::Kind::real)) return base::general(value->number(), 4);
  return value->is(Value::Kind::string) ? value->string() : value::to_text(*value);
}

std::string state_text(const Result& result) {
  return result.exit.value_or(0) != 0 && result.state == "failed"
             ? "failed (" + std::to_string(*result.exit) + ")"
             : result.state;
}

Value to_value(const Result& result) {
  Value value{Value::Object{}};
  value.set("trial", Value(result.trial));
  if (!result.id.is_null()) value.set("id", result.id);
  value.set("parameters", result.parameters);
  value.set("state", Value(result.state));
  value.set("value", value::number(result.value));
  value.set("epochs", Value(result.epochs));
  value.set("seconds", Value(result.seconds));
  value.set("exit", result.exit ? Value(int64_t(*result.exit)) : Value());
  if (!result.why.empty()) value.set("why", Value(result.why));
  value.set("log_dir", Value(result.log_dir));
  return value;
}

}  // namespace

std::vector<std::vector<std::string>> table_of(const Spec& spec,
                                               const std::vector<Result>& results) {
  std::vector<std::vector<std::string>> rows{{"trial", spec.metric, "epochs", "seconds", "state"}};
  for (const std::string& name : short_names(spec)) rows[0].push_back(name);
  for (const Result& result : results) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {std::to_string(result.trial), result.value ? base::general(*result.value, 6) : "-",
           std::to_string(result.epochs), base::general(std::round(result.seconds * 10) / 10, 6),
           state_text(result)};
    for (const Parameter& parameter : spec.parameters)
      row.push_back(shown(result.parameters.find(parameter.path)));
  }
  return rows;
}

Value to_value(const Spec& spec, const std::vector<Result>& results) {
  Value::Array trials;
  for (const Result& result : results) trials.push_back(to_value(result));
  Value value{Value::Object{}};
  value.set("folder", Value(spec.folder));
  value.set("metric", Value(spec.metric));
  value.set("goal", Value(std::string(spec.smallest_is_best ? "min" : "max")));
  value.set("trials", Value(std::move(trials)));
  return value;
}

}  // namespace broch::sweep
