// wrappers.cpp: optimizers that wrap another one, as in tensorpack's `tfutils/optimizer.py`.
#include "wrappers.hpp"

#include <algorithm>

#include "operator_options.hpp"
#include "variable_group_options.hpp"

namespace broch::optimizer {
namespace {

void read_after(OptimizerSpec& spec, Options& with, bool assigns) {
  if (spec.lookahead.period)
    with.refuse("operator", "this wrapper around lookahead, whose weights are the updated ones");
  AfterUpdate after;
  after.variables = with.text("variables").value_or(".*");
  after.call = read_operator(with, /*variable_only=*/true);
  after.assigns = assigns;
  spec.after.insert(spec.after.begin(), std::move(after));  // the innermost comes first
}

Properties with_inner(Properties all) {
  all.merge(properties(R"({"optimizer": {"description": "the wrapped optimizer",
                                         "x-broch-component": "optimizer"}})"));
  return all;
}

Properties with_inner(const std::string& options) { return with_inner(properties(options)); }

Properties after_options() {
  Properties all = with_inner(R"({"variables": {
    "default": ".*", "description": "regular expression for whole names", "type": "string"
  }})");
  all.merge(operator_properties(/*variable_only=*/true));
  return all;
}

}  // namespace

const std::vector<Wrapper>& wrappers() {
  static const std::vector<Wrapper> all = {
      {"proxy",
       "Does the same as the optimizer that it wraps.",
       with_inner("{}"),
       {"optimizer"},
       [](OptimizerSpec&, Options&) {}},
      {"accum-grad",
       "Adds up the gradients of niter hooked runs and applies the sum in the last of them.",
       with_inner(R"({
         "average": {"default": false, "description": "divide the sum by niter",
                     "type": "boolean"},
         "niter": {"description": "hooked runs per update", "minimum": 1, "type": "integer"}
       })"),
       {"optimizer", "niter"},
       [](OptimizerSpec& spec, Options& with) {
         const int64_t niter = with.integer("niter").value_or(0);
         if (niter < 1) with.refuse("niter", "a whole number of at least 1");
         if (spec.niter > 1 && niter > 1) with.refuse("niter", "one accum-grad in an optimizer");
         spec.niter = std::max(spec.niter, niter);
         const bool averages = with.flag("average").value_or(false);
         if (niter > 1) spec.averages = averages;
       }},
      {"lookahead",
       "Every k updates, moves slow weights towards the weights, and continues from the slow ones.",
       with_inner(R"({
         "alpha": {"default": 0.5, "description": "how far the slow weights move: 1 is all the way",
                   "exclusiveMinimum": 0, "maximum": 1, "type": "number"},
         "k": {"default": 5, "description": "updates of the weights per one of the slow weights",
               "minimum": 1, "type": "integer"}
       })"),
       {"optimizer"},
       [](OptimizerSpec& spec, Options& with) {
         if (spec.lookahead.period) with.refuse("optimizer", "one lookahead in an optimizer");
         spec.lookahead = {with.integer("k").value_or(5), with.number("alpha").value_or(0.5)};
         if (spec.lookahead.period < 1) with.refuse("k", "a whole number of at least 1");
         if (!(spec.lookahead.share > 0 && spec.lookahead.share <= 1))
           with.refuse("alpha", "above 0 and at most 1");
       }},
      {"apply-grad-processors",
       "Applies gradient processors to the gradients, after they were averaged over towers; inside "
       "of accum-grad, to the sums of several runs.",
       with_inner(R"({"gradient_processors": {
         "description": "the gradient processors, in order",
         "items": {"x-broch-component": "gradient_processor"}, "type": "array"
       }})"),
       {"optimizer", "gradient_processors"},
       [](OptimizerSpec& spec, Options& with) {
         auto& processors = spec.niter > 1 ? spec.sum_processors : spec.processors;
         for (Entry& entry : with.list("gradient_processors"))
           processors.push_back(std::move(entry));
       }},
      {"variable-groups",
       "Gives some variables other settings: factors for numbers of the rule, or no updates.",
       with_inner(variable_group_properties()),
       {"optimizer", "groups"},
       [](OptimizerSpec& spec, Options& with) { read_variable_groups(spec.groups, with); }},
      {"post-process",
       "Calls an operator on variables after each update.",
       after_options(),
       {"optimizer", "operator", "arguments"},
       [](OptimizerSpec& spec, Options& with) { read_after(spec, with, /*assigns=*/false); }},
      {"variable-assignment",
       "Assigns new values to variables after each update.",
       after_options(),
       {"optimizer", "operator", "arguments"},
       [](OptimizerSpec& spec, Options& with) { read_after(spec, with, /*assigns=*/true); }},
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
