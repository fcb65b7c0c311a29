// queued_events.cpp: calls of monitors that are callbacks, on the thread of their queue.
#include "abi/roles/queued_events.hpp"

namespace broch::abi {

QueuedEvents::QueuedEvents(Instance& instance) : RoleOf(instance, BROCH_ROLE_CALLBACK) {
  if (!table_.before_run && !table_.after_run) return;
  throw base::Error(base::Exit::plugin,
                    {instance.label() + ", its table " + BROCH_ROLE_CALLBACK,
                     table_.before_run ? "before_run" : "after_run",
                     "no such entry in a monitor with a queue, because the step would wait for it",
                     "this is a mistake in the plugin, tell its author"});
}

bool QueuedEvents::has(Event event) const {
  switch (event) {
    case Event::before_epoch:
      return table_.before_epoch;
    case Event::trigger_step:
      return table_.trigger_step;
    case Event::after_epoch:
      return table_.after_epoch;
    case Event::trigger_epoch:
      return table_.trigger_epoch || table_.trigger;
  }
  return false;
}

void QueuedEvents::call(Event event) {
  switch (event) {
    case Event::before_epoch:
      return call("before_epoch", table_.before_epoch);
    case Event::trigger_step:
      return call("trigger_step", table_.trigger_step);
    case Event::after_epoch:
      return call("after_epoch", table_.after_epoch);
    case Event::trigger_epoch:
      return trigger_epoch();
  }
}

void QueuedEvents::call(const char* hook, Entry entry) const {
  RoleOf::call(hook, Role::data, kOnlyOk, BROCH_OK, entry);
}

// As in Callback, trigger stands in for it.
void QueuedEvents::trigger_epoch() const {
  const broch_status status =
      RoleOf::call("trigger_epoch", Role::data, kMayBeNone, BROCH_NONE, table_.trigger_epoch);
  if (status == BROCH_NONE) call("trigger", table_.trigger);
}

}  // namespace broch::abi
