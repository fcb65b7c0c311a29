// trigger_watch.hpp: notifies the host of each trigger of a callback, also of one inside another.
#pragma once
#include "abi/instance.hpp"

namespace broch::abi {

// Provided in the context. It is notified of trigger and of trigger_epoch. If trigger_epoch falls
// back to trigger, the notifications are nested.
class TriggerWatch {
 public:
  virtual ~TriggerWatch() = default;
  virtual void before_trigger(const Instance& callback) = 0;  // may throw: then it is not called
  virtual void after_trigger(const Instance& callback) = 0;   // only if it did not fail
};

}  // namespace broch::abi
