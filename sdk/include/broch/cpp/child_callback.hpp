// child_callback.hpp: children that get the events of a training.
#pragma once
#include <string>

#include "child.hpp"

namespace broch {
inline namespace v0 {

// A child of role callback; role/callback.h describes the functions. What the child does not have
// does nothing. A failure of the child throws Error; if it asks to end training, StopTraining
// without a reason, because the host has logged that of the child.
class ChildCallback {
 public:
  using Role = RoleOf<broch_callback>;
  ChildCallback() = default;  // no child: nothing else may be called
  ChildCallback(const Host& host, const std::string& pointer)
      : host_(host), child_(host, pointer) {}
  void setup_graph() const { pass(child_.table->setup_graph); }
  void before_train() const { pass(child_.table->before_train); }
  void after_train() const { pass(child_.table->after_train); }
  void before_epoch() const { pass(child_.table->before_epoch); }
  void after_epoch() const { pass(child_.table->after_epoch); }
  // Returns the bits of the fetches that are wanted in this run.
  uint64_t before_run(broch_run run, uint64_t fetches) const {
    pass(child_.table->before_run, run, &fetches);
    return fetches;
  }
  void after_run(broch_run run) const { pass(child_.table->after_run, run); }
  void trigger_step() const { pass(child_.table->trigger_step); }
  void trigger_epoch() const { pass(child_.table->trigger_epoch); }
  void trigger() const { pass(child_.table->trigger); }

 private:
  template <class Event, class... Arguments>
  void pass(Event event, Arguments... arguments) const {
    if (!event) return;
    const broch_status status = host_.check(event(child_.self, arguments...));
    if (status == BROCH_CANCELLED) throw Cancelled();
    if (status == BROCH_STOP) throw StopTraining("");
  }

  Host host_;
  Child<broch_callback> child_;
};

}  // namespace v0
}  // namespace broch
