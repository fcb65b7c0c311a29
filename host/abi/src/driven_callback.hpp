// driven_callback.hpp: a callback as another one sees it that drives it.
#pragma once
#include <optional>

#include "abi/event_places.hpp"
#include "abi/roles/callback.hpp"

namespace broch::abi {

// Passes on the events that the child does not get from somebody else. Who gives which events is
// decided at the first of them, before training, and stays so.
class DrivenCallback {
 public:
  DrivenCallback(Instance& child, const Instance& parent);

  const broch_callback& table() const { return role_.table(); }

  broch_status setup_graph();
  broch_status before_train() { return pass<&Callback::before_train>(of_input()); }
  broch_status after_train() { return pass<&Callback::after_train>(of_input()); }
  broch_status before_epoch() { return pass<&Callback::before_epoch>(others()); }
  broch_status after_epoch() { return pass<&Callback::after_epoch>(others()); }
  broch_status before_run(broch_run run, uint64_t* fetches) {
    return pass<&Callback::before_run>(of_input(), run, fetches);
  }
  broch_status after_run(broch_run run) { return pass<&Callback::after_run>(of_input(), run); }
  broch_status trigger_step() { return pass<&Callback::trigger_step>(others()); }
  broch_status trigger_epoch() { return role_.trigger_epoch(); }
  broch_status trigger() { return role_.trigger(); }

 private:
  using Events = EventPlaces::Events;

  template <auto Method, class... Args>
  broch_status pass(bool passes, Args... args) {
    return passes ? (role_.*Method)(args...) : broch_status{BROCH_OK};
  }
  bool of_input() { return decided(of_input_, Events::of_input); }
  bool others() { return decided(others_, Events::others); }
  bool decided(std::optional<bool>& passes, Events events);

  Callback role_;
  Instance& child_;
  const Instance& parent_;
  std::optional<bool> of_input_, others_;  // whether they are passed on; no value: undecided
};

// What child_interface (roles.hpp) gives, for a parent that is known: it is passed on to a callback
// what is not passed on by others, and in a dataflow that is read by index, each option that names
// it has a place of its own. REQUIRES: the child is an instance. [main]
Interface interface_for(const Instance::Child& named, const Instance& parent,
                        const char* interface_id);

}  // namespace broch::abi
