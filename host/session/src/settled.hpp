// settled.hpp: what must be done before a component is called that may have a queue.
#pragma once
#include "train/trainer.hpp"

namespace broch::session {

// Whether the instance may be called: it is no part of a monitor with a queue, or the queue is
// empty now. False: the monitor does not return from a call.
inline bool settled(const abi::Instance& instance) {
  auto* const trainer = instance.context().find<train::Trainer>();
  return !trainer || trainer->monitors().settle(instance);
}

}  // namespace broch::session
