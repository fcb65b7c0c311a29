// driven_callback.cpp: decides which events are passed on, and says what is not.
#include "driven_callback.hpp"

#include "base/log.hpp"

namespace broch::abi {

DrivenCallback::DrivenCallback(Instance& child, const Instance& parent)
    : role_(Callback::make(child)), child_(child), parent_(parent) {}

bool DrivenCallback::decided(std::optional<bool>& passes, Events events) {
  if (passes) return *passes;
  auto* const places = child_.context().find<EventPlaces>();
  passes = !places || places->claim(child_, events, parent_);
  return *passes;
}

broch_status DrivenCallback::setup_graph() {
  const bool passes = of_input();
  if (!others())
    base::info(child_.label() + " gets its events in another place, so " + parent_.label() +
               " only triggers it.");
  return pass<&Callback::setup_graph>(passes);
}

}  // namespace broch::abi
