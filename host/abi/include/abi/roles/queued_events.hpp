// queued_events.hpp: the events that come through the queue of a monitor.
#pragma once
#include "abi/roles/role.hpp"
#include "broch/role/callback.h"

namespace broch::abi {

// A monitor with a queue that is also a callback. Its other events are those of Callback.
class QueuedEvents : public RoleOf<broch_callback> {
 public:
  enum class Event : uint8_t { before_epoch, trigger_step, after_epoch, trigger_epoch };

  // Throws base::Error (plugin) if there are entries for what happens within a step.
  static QueuedEvents make(Instance& instance) { return QueuedEvents(instance); }

  bool has(Event event) const;
  void call(Event event);  // as [data]

 private:
  using Entry = decltype(broch_callback::trigger);
  explicit QueuedEvents(Instance& instance);
  void call(const char* hook, Entry entry) const;
  void trigger_epoch() const;
};

}  // namespace broch::abi
