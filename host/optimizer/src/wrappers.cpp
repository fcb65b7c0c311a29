// wrappers.cpp: optimizers that wrap another one, as in tensorpack's `tfutils/optimizer.py`.
#include "wrappers.hpp"

#include <algorithm>

#include "operator_options.hpp"

namespace broch::optimizer {
namespace {

using nlohmann::json;

void read_after(OptimizerSpec& spec, JsonOptions& with, bool assigns) {
  AfterUpdate after;
  after.variables = with.text("variables").value_or(".*");
  after.call = read_operator(with, true);
  after.assigns = assigns;
  after.with_updates = spec.niter > 1;
  spec.after.insert(spec.after.begin(), std::move(after));  // the innermost comes first
}

}  // namespace

const std::vector<Wrapper>& wrappers() {
  static const auto with_inner = [](json properties) {
    properties["optimizer"] = {{"x-broch-component", "optimizer"},
                               {"description", "the wrapped optimizer"}};
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
       "Does the same as the optimizer that it wraps.",
       with_inner(json::object()),
       {"optimizer"},
       [](OptimizerSpec&, JsonOptions&) {}},
      {"accum-grad",
       "Adds up the gradients of niter hooked runs and applies the sum in the last of them.",
       with_inner(
           {{"niter",
             {{"type", "integer"}, {"minimum", 1}, {"description", "hooked runs per update"}}},
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
       "Applies gradient processors to the gradients, after they were averaged over towers.",
       with_inner({{"gradient_processors",
                    {{"type", "array"},
                     {"items", {{"x-broch-component", "gradient_processor"}}},
                     {"description", "the gradient processors, in order"}}}}),
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
       "Assigns new values to variables after each update.",
       after_properties(),
       {"optimizer", "operator", "arguments"},
       [](OptimizerSpec& spec, JsonOptions& with) { read_after(spec, with, true); }},
  };
  return all;
}

const Wrapper* wrapper_of(const std::string& use) {
  for (const Wrapper& wrapper : wrappers())
    if (optimizer_id(wrapper.name) == use) return &wrapper;
  return nullptr;
}

std::string optimizer_id(const char* name) { return std::string("broch.optimizer.") + name; }

}  // namespace broch::optimizer
