// handles.cpp: checks handles at every use; an error says what to do instead.
#include "handles.hpp"

#include "abi/refuse.hpp"

namespace broch::tower {
namespace {

[[noreturn]] void refuse_tensor(broch_tensor handle, const Place& place, const char* why) {
  std::string where = place.function;
  if (place.argument) {
    where.append(", ").append(place.argument);
  } else {
    where.append(", argument ").append(std::to_string(place.index));
  }
  const bool inside = Domain::current_id() != 0;
  abi::refuse(
      BROCH_E_INVALID_ARGUMENT,
      {.where = where,
       .found = abi::explain(handle, abi::Kind::tensor, why),
       .expected = inside ? "an input, a variable, a hyper-parameter or a value computed from "
                            "these in this call"
                          : "a tensor of this call, or one that this instance retained",
       .hint = inside ? "make it a variable, or a constant(t)"
                      : "retain what must live longer than the call or run that made it"});
}

Tensor acquire(Backend& backend, abi::Instance& instance, broch_tensor handle, const Place& place) {
  const char* why = "";
  const abi::Object object = instance.handles().acquire(handle, abi::Kind::owned_tensor, &why);
  if (!object.pointer) refuse_tensor(handle, place, why);
  return {object.pointer, &backend.counting()};
}

bool is_owned(broch_tensor handle) { return abi::handle_kind(handle) == abi::Kind::owned_tensor; }

}  // namespace

void* resolve_raw(Backend& backend, abi::Instance* instance, broch_tensor handle,
                  const Place& place, uint64_t* tags, std::vector<Tensor>* owned) {
  const abi::Arena& arena = abi::Arena::of_this_thread();
  const char* why = "";
  if (void* impl = arena.find(handle, abi::Kind::tensor, Domain::current_id(), &why)) {
    *tags |= arena.tags(handle);
    return impl;
  }
  if (!is_owned(handle)) refuse_tensor(handle, place, why);
  if (Domain::current_id() != 0 || !instance)
    refuse_tensor(handle, place, "it is kept from another call, and so no part of this tower");
  return owned->emplace_back(acquire(backend, *instance, handle, place)).impl();
}

namespace {

// For anything but a borrowed handle of this call: an owned tensor, or a mistake.
[[gnu::noinline]] Valued resolve_other(Backend& backend, abi::Instance* instance,
                                       broch_tensor handle, const Place& place) {
  std::vector<Tensor> owned;
  uint64_t tags = 0;
  resolve_raw(backend, instance, handle, place, &tags, &owned);
  return {std::move(owned.front()), 0};
}

}  // namespace

Valued resolve(Backend& backend, abi::Instance* instance, broch_tensor handle, const Place& place) {
  const abi::Arena& arena = abi::Arena::of_this_thread();
  const char* why = "";
  if (void* impl = arena.find(handle, abi::Kind::tensor, Domain::current_id(), &why)) [[likely]]
    return {Tensor::share(impl, &backend.counting()), arena.tags(handle)};
  return resolve_other(backend, instance, handle, place);
}

Tensor resolve_computed(Backend& backend, abi::Instance& instance, broch_tensor handle,
                        const Place& place) {
  return resolve(backend, &instance, handle, place).tensor;
}

Tensor resolve_to_look(Backend& backend, abi::Instance& instance, broch_tensor handle,
                       const Place& place) {
  if (is_owned(handle)) return acquire(backend, instance, handle, place);
  return resolve(backend, &instance, handle, place).tensor;
}

// The serial number tells this host's variables from those of another host in the same process.
broch_variable variable_handle(const VariableStore& store, const Variable& variable) {
  return abi::make_handle(abi::Kind::variable, 0, store.serial(), variable.id);
}

Variable& variable_at(VariableStore& store, broch_variable handle, const char* function) {
  Variable* variable = store.by_id(abi::handle_index(handle));
  if (variable && variable_handle(store, *variable) == handle) return *variable;
  abi::refuse(BROCH_E_INVALID_ARGUMENT,
              {.where = function,
               .found = abi::explain(handle, abi::Kind::variable, "no variable of this run has it"),
               .expected = "a handle that get, create or find answered",
               .hint = "look the variable up again in setup_graph"});
}

void note_host_read(const char* how) {
  const Domain* const domain = Domain::current();
  if (CallTape* tape = domain ? domain->tape() : nullptr) tape->read(how);
  if (Recorder* recorder = Recording::current())
    recorder->refuse(std::string("it reads a value on the host (") + how + ")");
}

}  // namespace broch::tower
