// trigger_watch.hpp: who is told of each trigger of a callback, also of one inside another.
#pragma once
#include "abi/instance.hpp"

namespace broch::abi {

// Provided in the context. Told of trigger and trigger_epoch, nested where one falls back to the
// other.
class TriggerWatch {
 public:
  virtual ~TriggerWatch() = default;
  virtual void before_trigger(const Instance& callback) = 0;  // may throw: it is not called then
  virtual void after_trigger(const Instance& callback) = 0;   // it did not fail
};

}  // namespace broch::abi
