// hyper_param.cpp: broch.hyper_param/1: hyper-parameters, numbers that may change during training.
// Options of other components that may change can be set and read as if they were some.
#include "broch/ext/hyper_param.h"

#include "abi/settable_options.hpp"
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

// A name, and what it is the name of.
struct Named {
  HyperParams& hypers;
  Variable* variable;                       // nullptr: of none
  abi::SettableOptions* options = nullptr;  // nullptr: there are none
  Instance* owner = nullptr;                // of an option; nullptr: it is none

  Named(Instance& caller, const char* function, const char* name)
      : hypers(hypers_of(caller, function)),
        variable(need<VariableStore>(caller, function).find(given(name, function, "name"))),
        options(caller.context().find<abi::SettableOptions>()) {
    if (options && !variable && !hypers.has(name)) owner = options->owner(name);
  }
};

// Reports an unknown name, the usual mistake of callers, with its own status.
template <class Call>
broch_status with_name(const Named& named, const char* name, Call&& call) {
  const bool known = named.hypers.has(name) || named.variable;
  try {
    call();
  } catch (const base::Error& error) {
    if (known) throw abi::CallError(BROCH_E_INVALID_ARGUMENT, error.what());
    const std::vector<std::string> options =
        named.options ? named.options->option_names() : std::vector<std::string>();
    throw abi::CallError(BROCH_E_NOT_FOUND, error.what() + base::did_you_mean(name, options));
  }
  return BROCH_OK;
}

bool is_in_call(const Instance& instance) {
  for (const abi::Breadcrumb* crumb = abi::thread_state().top; crumb; crumb = crumb->outer)
    if (crumb->instance == &instance) return true;
  return false;
}

void set_option(Instance& caller, const Named& named, const char* name, double value) {
  const auto refuse_now = [&](const std::string& why) {
    throw abi::CallError(BROCH_E_FAILED_PRECONDITION,
                         std::string("option '") + name + "' cannot be set now: " + why);
  };
  if (need<RunContext>(caller, kSet).in_run)
    refuse_now("this is inside a hooked run; set it in trigger_step or trigger");
  if (is_in_call(*named.owner))
    refuse_now(named.owner->label() + " is being called; set options of other components");
  if (auto* const watch = caller.context().find<WriteWatch>())
    watch->sets(caller, *named.owner, name);
  named.options->set_number(name, value);
}

// The same variable in the replicas of other towers, which have to stay equal.
std::vector<const Variable*> copies_of(Instance& caller, const Named& named) {
  std::vector<const Variable*> copies;
  if (!named.variable || !named.variable->replica.empty()) return copies;
  if (named.hypers.has(named.variable->name)) return copies;  // all towers share these
  for (const auto& other : need<VariableStore>(caller, kSet).all())
    if (!other->replica.empty() && other->bare() == named.variable->name)
      copies.push_back(other.get());
  return copies;
}

broch_status set(const broch_host* host, const char* name, double value) {
  return serve(host, kSet, Role::main, [&](Instance& instance) -> broch_status {
    const Named named(instance, kSet, name);
    if (named.owner) return set_option(instance, named, name, value), BROCH_OK;
    if (named.variable) about_to_write(instance, *named.variable);
    return with_name(named, name, [&] {
      named.hypers.set(name, value);
      for (const Variable* const copy : copies_of(instance, named)) {
        about_to_write(instance, *copy);
        named.hypers.set(copy->name, value);
      }
    });
  });
}

broch_status get(const broch_host* host, const char* name, double* value) {
  return serve(host, kGet, Role::main, [&](Instance& instance) -> broch_status {
    const Named named(instance, kGet, name);
    given(value, kGet, "value");
    if (named.owner) return *value = named.options->get_number(name), BROCH_OK;
    return with_name(named, name, [&] { *value = named.hypers.get(name); });
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
