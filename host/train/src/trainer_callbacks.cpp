// trainer_callbacks.cpp: the list of callbacks: the input's, the trainer's, the host's own, those
// of the manifest, and the monitors.
#include <algorithm>

#include "host_slots.hpp"
#include "monitor_slot.hpp"
#include "queued_monitor_slot.hpp"
#include "train/trainer.hpp"

namespace broch::train {

void Trainer::add_callbacks() {
  add_input_callbacks();
  const size_t of_input = callbacks_.slots().size();
  if (own_slot_) callbacks_.add(std::move(own_slot_));
  callbacks_.add(std::make_unique<StepCounter>(global_step_, *parts_.progress, monitors_));
  callbacks_.add(std::make_unique<EpochStats>(monitors_, costs_, *parts_.hypers, *parts_.progress));
  for (const auto* list : {&parts_.callbacks, &parts_.extra_callbacks})
    for (const CallbackPart& part : *list) add_callback(part, of_input);
  for (abi::Instance* monitor : parts_.monitors)
    if (!callbacks_.has(*monitor)) add_monitor(*monitor);
  callbacks_.add(std::make_unique<Dispatcher>(monitors_));
  claim_events(of_input);
}

// A callback that has an entry gets its events there, so what drives it does not pass them on.
void Trainer::claim_events(size_t of_input) {
  using Events = abi::EventPlaces::Events;
  const auto& slots = callbacks_.slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    const abi::Instance* const instance = slots[i]->instance();
    if (!instance) continue;
    event_places_.claim(*instance, Events::of_input, *instance);
    if (i >= of_input) event_places_.claim(*instance, Events::others, *instance);
  }
}

// An instance may have several places. It gets each event once, in the first place that has it.
// of_input: the number of places so far that belong to the input.
void Trainer::add_callback(const CallbackPart& part, size_t of_input) {
  abi::Instance& instance = *part.instance;
  if (callbacks_.has(instance, of_input)) return;
  const bool is_here = !part.chief_only || parts_.progress->is_chief;
  if (is_here && std::ranges::count(parts_.monitors, &instance) > 0 &&
      abi::Callback::plays(instance))
    return add_monitor(instance);
  const auto events =
      callbacks_.has(instance) ? PluginSlot::Events::others : PluginSlot::Events::all;
  callbacks_.add(std::make_unique<PluginSlot>(instance, events), part.chief_only,
                 parts_.progress->is_chief);
}

void Trainer::add_monitor(abi::Instance& monitor) {
  MonitorQueue* const queue = monitors_.add(monitor);
  if (!abi::Callback::plays(monitor)) return;
  if (queue)
    callbacks_.add(std::make_unique<QueuedMonitorSlot>(monitor, *queue, monitors_.failures()));
  else
    callbacks_.add(std::make_unique<MonitorSlot>(monitor, monitors_));
}

void Trainer::add_input_callbacks() {
  if (!input_) return;
  callbacks_.add(std::make_unique<InputStart>(*input_, plans_, resume_after_, parts_.group));
  add_callbacks_of(*parts_.input);
}

// The components of a source come before the source.
void Trainer::add_callbacks_of(abi::Instance& source) {
  for (const abi::Instance::Child& child : source.children())
    if (child.owned) add_callbacks_of(*child.owned);
  if (abi::Callback::plays(source))
    callbacks_.add(std::make_unique<PluginSlot>(source, PluginSlot::Events::of_input));
}

}  // namespace broch::train
