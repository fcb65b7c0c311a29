// event_places.hpp: from whom each callback gets its events, so that it gets none of them twice.
#pragma once
#include <array>
#include <map>

#include "abi/instance.hpp"

namespace broch::abi {

// Provided in the context. A callback may stand in a list of the manifest, may be a part of the
// input, and other callbacks may drive it. Whoever claims its events first passes them on. Triggers
// are nobody's: each of them is meant.
class EventPlaces {
 public:
  // of_input: setup_graph, before_train, before_run, after_run, after_train. others: those of
  // epochs and of steps.
  enum class Events : uint8_t { of_input, others };

  // Whether `callback` gets these events from `giver`: the instance itself if the run passes them
  // on to its own entry, otherwise the one that drives it. [main]
  bool claim(const Instance& callback, Events events, const Instance& giver) {
    const Instance*& owner = owners_[&callback].at(static_cast<size_t>(events));
    if (!owner) owner = &giver;
    return owner == &giver;
  }

 private:
  std::map<const Instance*, std::array<const Instance*, 2>> owners_;
};

}  // namespace broch::abi
