// callback.cpp: the role callback.
#include "abi/roles/callback.hpp"

#include "abi/trigger_watch.hpp"

namespace broch::abi {

namespace {

constexpr Outcomes kMayEndTraining = kMayStop | kMayCancel;

template <class Call>
broch_status watched(const Instance& instance, Call&& call) {
  auto* const watch = instance.context().find<TriggerWatch>();
  if (watch) watch->before_trigger(instance);
  const broch_status status = call();
  if (watch) watch->after_trigger(instance);
  return status;
}

}  // namespace

Callback::Callback(Instance& instance) : RoleOf(instance, BROCH_ROLE_CALLBACK) {}

bool Callback::plays(Instance& instance) {
  return bool(instance.get_interface(BROCH_ROLE_CALLBACK));
}

broch_status Callback::setup_graph() {
  return call("setup_graph", Role::main, kOnlyOk, BROCH_OK, table_.setup_graph);
}

broch_status Callback::before_train() {
  return call("before_train", Role::main, kMayEndTraining, BROCH_OK, table_.before_train);
}

broch_status Callback::after_train() {
  return call("after_train", Role::main, kMayEndTraining, BROCH_OK, table_.after_train);
}

broch_status Callback::before_epoch() {
  return call("before_epoch", Role::main, kMayEndTraining, BROCH_OK, table_.before_epoch);
}

broch_status Callback::after_epoch() {
  return call("after_epoch", Role::main, kMayEndTraining, BROCH_OK, table_.after_epoch);
}

broch_status Callback::before_run(broch_run run, uint64_t* fetches) {
  return call("before_run", Role::main, kMayEndTraining, BROCH_OK, table_.before_run, run, fetches);
}

broch_status Callback::after_run(broch_run run) {
  return call("after_run", Role::main, kMayEndTraining, BROCH_OK, table_.after_run, run);
}

broch_status Callback::trigger_step() {
  return call("trigger_step", Role::main, kMayEndTraining, BROCH_OK, table_.trigger_step);
}

broch_status Callback::trigger_epoch() {
  bool missing = !table_.trigger_epoch;
  return watched(*instance_, [&] {
    broch_status status = BROCH_OK;
    if (!missing)
      status = invoke(*instance_, "trigger_epoch", Role::main, kMayEndTraining, [&] {
        const broch_status answer = table_.trigger_epoch(self_);
        missing = says_unimplemented(answer);
        return missing ? BROCH_OK : answer;
      });
    return missing ? trigger() : status;
  });
}

broch_status Callback::trigger() {
  return watched(*instance_, [&] {
    return call("trigger", Role::main, kMayEndTraining, BROCH_OK, table_.trigger);
  });
}

}  // namespace broch::abi
