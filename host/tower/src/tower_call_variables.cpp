// tower_call_variables.cpp: which variables a tower function may ask for, and their values.
#include <algorithm>

#include "base/text.hpp"
#include "tower/nudged.hpp"
#include "tower_call.hpp"

namespace broch::tower {

void TowerCall::check_part(std::string_view name) const {
  if (name.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "variable scope", "an empty name", "a part of variable names",
           "give the scope a name");
}

void TowerCall::scope_push(std::string_view name) {
  check_part(name);
  scope_.push(name);
}

void TowerCall::scope_pop() {
  if (!scope_.is_open())
    refuse(BROCH_E_FAILED_PRECONDITION, "scope_pop", "no open scope", "one scope_push for each",
           "remove this call, or push before it");
  scope_.pop();
}

Variable& TowerCall::get(std::string_view name, const broch_variable_spec& spec) {
  check_part(name);
  const ScopeGuard with_name(scope_, name);  // forms the full name without an allocation
  const std::string& full = scope_.text();
  const Event* event = follower_.next_get(full);
  const bool as_defined =
      event && event->variable->dtype == spec.dtype &&
      std::ranges::equal(event->variable->shape.span(), std::span(spec.shape, spec.rank));
  Variable* const variable = as_defined  ? event->variable
                             : defining_ ? &define_variable(full, spec)
                                         : &repeat_variable(full, spec);
  note({.kind = EventKind::get, .name = full, .variable = variable});
  return *variable;
}

Variable& TowerCall::define_variable(const std::string& full, const broch_variable_spec& spec) {
  check_variable_name(full, tower_.describe());
  for (const auto& event : definition_.events)
    if (event->kind == EventKind::get && event->name == full)
      refuse(BROCH_E_ALREADY_EXISTS, "variable " + base::quoted(full), "asked for twice",
             "once in a tower call", "keep the handle, or open another scope");
  VariableStore& store = *tower_.context().variables;
  const std::string& by = tower_.instance().label();
  const TowerSpec& own = tower_.spec();
  if (own.owns_variables) {
    uint64_t elements = 1;  // the store may still refuse the shape
    for (uint32_t d = 0; d < std::min<uint32_t>(spec.rank, BROCH_RANK_MAX); ++d)
      elements *= static_cast<uint64_t>(spec.shape[d]);
    const Device device = definition_.placement.place(static_cast<int64_t>(elements), own.device);
    return store.create(full, spec, device, by, own.vs_name);
  }
  const bool local =
      (spec.flags & (BROCH_VARIABLE_LOCAL | BROCH_VARIABLE_TRAINABLE)) == BROCH_VARIABLE_LOCAL;
  if (local && !store.find(full, own.vs_name))
    return store.create(full, spec, own.device, by, own.vs_name);
  return store.reuse(full, spec, tower_.describe(), own.vs_name);
}

// Handles a get that define did not see. Continues if possible; finish() reports the difference.
Variable& TowerCall::repeat_variable(const std::string& full, const broch_variable_spec& spec) {
  VariableStore& store = *tower_.context().variables;
  const std::string& replica = tower_.spec().vs_name;
  if (store.find(full, replica)) return store.reuse(full, spec, tower_.describe(), replica);
  refuse(BROCH_E_FAILED_PRECONDITION, "variable " + base::quoted(full),
         "asked for, but it was not there when the graph was defined",
         "the same variables in every call",
         "a tower function is a description: let nothing but its arguments decide what it builds");
}

const Valued& TowerCall::read(Variable& variable) {
  if (const Valued* const found = used_.find(variable)) return *found;
  Tensor value;
  if (gradients_ && variable.trainable()) {
    value = backend_.leaf(Nudged::value_of(variable, backend_));
    result_->leaves.emplace_back(&variable, value);
  } else {
    value = backend_.detach(variable.value);
  }
  if (!share_memory(variable.device, tower_.spec().device))
    value = backend_.brought_to(tower_.spec().device, value);
  if (tape_) tape_->variable(variable, value);
  return used_.set(variable, {std::move(value), 0});
}

}  // namespace broch::tower
