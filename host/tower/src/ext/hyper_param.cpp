// hyper_param.cpp: broch.hyper_param/1: hyper-parameters, numbers that may change during training.
#include "broch/ext/hyper_param.h"

#include "base/text.hpp"
#include "serving.hpp"
#include "tower/counters.hpp"
#include "tower/tower.hpp"
#include "tower/write_watch.hpp"

namespace broch::tower {
namespace {

constexpr const char* kDeclare = "broch.hyper_param/1 declare";
constexpr const char* kSet = "broch.hyper_param/1 set";
constexpr const char* kGet = "broch.hyper_param/1 get";
constexpr const char* kTensor = "broch.hyper_param/1 tensor";

HyperParams& hypers_of(Instance& instance, const char* function) {
  return need<HyperParams>(instance, function);
}

broch_status declare(const broch_host* host, const char* name, double initial) {
  return serve(host, kDeclare, Role::main | Role::step, [&](Instance& instance) {
    hypers_of(instance, kDeclare).declare(given(name, kDeclare, "name"), initial, instance.label());
    return BROCH_OK;
  });
}

// Reports an unknown name, the usual mistake of callers, with its own status.
template <class Call>
broch_status with_name(HyperParams& hypers, VariableStore& store, const char* name, Call&& call) {
  const bool known = hypers.has(name) || store.find(name);
  try {
    call();
  } catch (const base::Error& error) {
    throw abi::CallError(known ? BROCH_E_INVALID_ARGUMENT : BROCH_E_NOT_FOUND, error.what());
  }
  return BROCH_OK;
}

broch_status set(const broch_host* host, const char* name, double value) {
  return serve(host, kSet, Role::main, [&](Instance& instance) {
    HyperParams& hypers = hypers_of(instance, kSet);
    VariableStore& store = need<VariableStore>(instance, kSet);
    given(name, kSet, "name");
    if (const Variable* const variable = store.find(name)) about_to_write(instance, *variable);
    return with_name(hypers, store, name, [&] { hypers.set(name, value); });
  });
}

broch_status get(const broch_host* host, const char* name, double* value) {
  return serve(host, kGet, Role::main, [&](Instance& instance) {
    HyperParams& hypers = hypers_of(instance, kGet);
    VariableStore& store = need<VariableStore>(instance, kGet);
    given(name, kGet, "name");
    given(value, kGet, "value");
    return with_name(hypers, store, name, [&] { *value = hypers.get(name); });
  });
}

broch_status tensor(const broch_host* host, broch_tower tower, const char* name,
                    broch_tensor* out) {
  return serve(host, kTensor, Role::step, [&](Instance& instance) {
    TowerCall& call = TowerCall::at(tower);
    given(name, kTensor, "name");
    given(out, kTensor, "tensor");
    if (const Counter* counter = find_counter(name)) {
      const Tensor value =
          counter_tensor(call.tower().context(), *counter, call.tower().spec().device);
      Recorder* const recorder = Recording::current();
      *out = lend(recorder ? recorder->input(counter->slot, value) : value, 0);
      return BROCH_OK;
    }
    HyperParams& hypers = hypers_of(instance, kTensor);
    Variable* variable = hypers.variable(name);
    if (!variable) {
      const std::vector<std::string> names = hypers.names();
      call.refuse(BROCH_E_NOT_FOUND, std::string("hyper-parameter '") + name + "'",
                  "no such hyper-parameter",
                  "global_step, epoch_num" + std::string(names.empty() ? "" : ", ") +
                      base::join(names, ", ") + base::did_you_mean(name, names),
                  "declare it first");
    }
    *out = lend(call.read(*variable));
    return BROCH_OK;
  });
}

constexpr broch_host_hyper_param kTable{
    sizeof(broch_host_hyper_param), 0, declare, set, get, tensor};

}  // namespace

const void* hyper_param_table() { return &kTable; }

}  // namespace broch::tower
