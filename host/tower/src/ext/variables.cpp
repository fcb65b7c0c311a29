// variables.cpp: broch.variables/1: variables by name, inside and outside of tower functions.
#include "broch/ext/variables.h"

#include "serving.hpp"
#include "tower/tower.hpp"
#include "tower/write_watch.hpp"

namespace broch::tower {
namespace {

constexpr const char* kGet = "broch.variables/1 get";
constexpr const char* kRead = "broch.variables/1 read";
constexpr const char* kPush = "broch.variables/1 scope_push";
constexpr const char* kPop = "broch.variables/1 scope_pop";
constexpr const char* kCreate = "broch.variables/1 create";
constexpr const char* kFind = "broch.variables/1 find";
constexpr const char* kList = "broch.variables/1 list";
constexpr const char* kInfo = "broch.variables/1 info";
constexpr const char* kValue = "broch.variables/1 value";
constexpr const char* kAssign = "broch.variables/1 assign";

constexpr uint32_t kKnownFlags =
    BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL | BROCH_VARIABLE_LOCAL;

VariableStore& store_of(Instance& instance, const char* function) {
  return need<VariableStore>(instance, function);
}

broch_variable_spec spec_of(const broch_variable_spec* theirs, const char* function) {
  const broch_variable_spec spec = read_struct(theirs, function, "spec");
  if (spec.rank) given(spec.shape, function, "spec.shape");
  abi::require_flags(spec.flags, kKnownFlags, function, "spec.flags");
  return spec;
}

broch_status get(const broch_host* host, broch_tower tower, const char* name,
                 const broch_variable_spec* spec, broch_variable* variable, broch_tensor* value) {
  return serve(host, kGet, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    given(variable, kGet, "variable");
    given(value, kGet, "value");
    Variable& found = call.get(given(name, kGet, "name"), spec_of(spec, kGet));
    *variable = variable_handle(*call.tower().context().variables, found);
    *value = lend(call.read(found));
    return BROCH_OK;
  });
}

broch_status read(const broch_host* host, broch_tower tower, broch_variable variable,
                  broch_tensor* value) {
  return serve(host, kRead, Role::step, [&](Instance&) {
    TowerCall& call = TowerCall::at(tower);
    given(value, kRead, "value");
    *value = lend(call.read(variable_at(*call.tower().context().variables, variable, kRead)));
    return BROCH_OK;
  });
}

broch_status scope_push(const broch_host* host, broch_tower tower, const char* name) {
  return serve(host, kPush, Role::step, [&](Instance&) {
    TowerCall::at(tower).scope_push(given(name, kPush, "name"));
    return BROCH_OK;
  });
}

broch_status scope_pop(const broch_host* host, broch_tower tower) {
  return serve(host, kPop, Role::step, [&](Instance&) {
    TowerCall::at(tower).scope_pop();
    return BROCH_OK;
  });
}

broch_status create(const broch_host* host, const char* name, const broch_variable_spec* spec,
                    broch_variable* variable) {
  return serve(host, kCreate, Role::main, [&](Instance& instance) {
    given(variable, kCreate, "variable");
    const Device device = need<RunContext>(instance, kCreate).device;
    VariableStore& store = store_of(instance, kCreate);
    const Variable& made = store.create(given(name, kCreate, "name"), spec_of(spec, kCreate),
                                        device, instance.label());
    *variable = variable_handle(store, made);
    return BROCH_OK;
  });
}

// Optimizers lay out all variables of all plans together, so a trainer does not see theirs.
const char* where_to_look(Instance& caller) {
  if (caller.spec().role != "trainer" || store_of(caller, kFind).sealed())
    return "`broch plan` lists them";
  return "a trainer finds the variables of a tower once its plan is sealed; slots and "
         "hyper-parameters of optimizers are there for setup_graph of callbacks";
}

broch_status find(const broch_host* host, const char* name, broch_variable* variable) {
  return serve(host, kFind, Role::main | Role::step, [&](Instance& instance) {
    given(variable, kFind, "variable");
    VariableStore& store = store_of(instance, kFind);
    const std::string asked = given(name, kFind, "name");
    const TowerCall* const call = TowerCall::current();
    Variable* const own = call ? store.find(asked, call->tower().spec().vs_name) : nullptr;
    try {
      *variable = variable_handle(store, own ? *own : store.at(asked, where_to_look(instance)));
    } catch (const base::Error& error) {
      throw abi::CallError(BROCH_E_NOT_FOUND, error.what());
    }
    return BROCH_OK;
  });
}

broch_status list(const broch_host* host, broch_tower tower, uint32_t flags,
                  broch_variable* variables, uint32_t capacity, uint32_t* count) {
  return serve(host, kList, Role::main | Role::step, [&](Instance& instance) {
    given(count, kList, "count");
    abi::require_flags(flags, kKnownFlags, kList, "flags");
    VariableStore& store = store_of(instance, kList);
    const std::vector<Variable*> found =
        tower ? TowerCall::at(tower).used_variables(flags) : store.with_flags(flags);
    *count = static_cast<uint32_t>(found.size());
    const uint32_t written = std::min(capacity, *count);
    if (written) given(variables, kList, "variables");
    for (uint32_t i = 0; i < written; ++i) variables[i] = variable_handle(store, *found[i]);
    return BROCH_OK;
  });
}

// What is called for each replica, such as a tower function or an update rule, knows a variable of
// the replica by the name that it has in all of them. A gradient processor does so outside of the
// call as well, when it is asked what to keep.
const char* name_for(const Instance& caller, const Variable& variable) {
  if (variable.replica.empty()) return variable.name.c_str();
  const TowerCall* const call = TowerCall::current();
  const bool is_own = call ? variable.replica == call->tower().spec().vs_name
                           : caller.spec().role == "gradient_processor";
  return variable.name.c_str() + (is_own ? variable.replica.size() + 1 : 0);
}

broch_status info(const broch_host* host, broch_variable variable, broch_variable_info* out) {
  return serve(host, kInfo, kNoScope, [&](Instance& instance) {
    const Variable& found = variable_at(store_of(instance, kInfo), variable, kInfo);
    broch_variable_info full{};
    full.flags = found.flags;
    full.name = name_for(instance, found);
    full.dtype = found.dtype;
    full.rank = found.shape.rank;
    full.shape = found.shape.dims.data();
    write_struct(out, full, kInfo, "info");
    return BROCH_OK;
  });
}

broch_status value(const broch_host* host, broch_variable variable, broch_tensor* out) {
  return serve(host, kValue, Role::main, [&](Instance& instance) {
    given(out, kValue, "value");
    VariableStore& store = store_of(instance, kValue);
    *out = lend(store.backend().detach(variable_at(store, variable, kValue).value), 0);
    return BROCH_OK;
  });
}

broch_status assign(const broch_host* host, broch_variable variable, const broch_dl_tensor* data) {
  return serve(host, kAssign, Role::main, [&](Instance& instance) {
    VariableStore& store = store_of(instance, kAssign);
    const Variable& target = variable_at(store, variable, kAssign);
    if (need<RunContext>(instance, kAssign).in_run)
      refuse(BROCH_E_FAILED_PRECONDITION, {.where = "variable '" + target.name + "'",
                                           .found = "assigned inside a hooked run",
                                           .expected = "a call between runs",
                                           .hint = "assign it in trigger_step or before_epoch"});
    const Tensor value = store.backend().copy_in(*given(data, kAssign, "data"), target.device);
    const TensorInfo info = store.backend().info(value);
    if (info.dtype != target.dtype || !(info.shape == target.shape))
      refuse(BROCH_E_INVALID_ARGUMENT, {.where = "variable '" + target.name + "'",
                                        .found = type_text(info.dtype, info.shape),
                                        .expected = type_text(target.dtype, target.shape),
                                        .hint = "convert or reshape the data"});
    about_to_write(instance, target);
    {
      const VariableWrites::Write write(store.writes());
      store.backend().assign(target.value, value);
    }
    if (HyperParams* hypers = instance.context().find<HyperParams>()) hypers->refresh();
    return BROCH_OK;
  });
}

constexpr broch_host_variables kTable{sizeof(broch_host_variables),
                                      0,
                                      get,
                                      read,
                                      scope_push,
                                      scope_pop,
                                      create,
                                      find,
                                      list,
                                      info,
                                      value,
                                      assign};

}  // namespace

const void* variables_table() { return &kTable; }

}  // namespace broch::tower
