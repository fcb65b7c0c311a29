// queued_monitor_slot.hpp: a monitor with a queue in the list of callbacks.
#pragma once
#include "monitors/monitors.hpp"
#include "train/callbacks.hpp"

namespace broch::train {

// Puts the events of a monitor that implements broch.callback/1 into its queue. Before other calls
// it waits for the queue.
class QueuedMonitorSlot final : public CallbackSlot {
 public:
  QueuedMonitorSlot(abi::Instance& monitor, MonitorQueue& queue, MonitorFailures& failures)
      : CallbackSlot(monitor.name(), &monitor),
        slot_(monitor),
        queue_(queue),
        failures_(failures) {}

  bool has_trigger_step() const override { return queue_.takes(Event::trigger_step); }

  broch_status setup_graph() override { return queue_.settle() ? slot_.setup_graph() : BROCH_OK; }
  broch_status before_train() override { return queue_.settle() ? slot_.before_train() : BROCH_OK; }
  broch_status after_train() override {
    broch_status status = BROCH_OK;
    if (queue_.finish()) failures_.pass_over(*instance(), [&] { status = slot_.after_train(); });
    return status;
  }
  broch_status before_epoch() override { return put(Event::before_epoch); }
  broch_status after_epoch() override { return put(Event::after_epoch); }
  broch_status trigger_step() override { return put(Event::trigger_step); }
  broch_status trigger_epoch() override { return put(Event::trigger_epoch); }

 private:
  using Event = abi::QueuedEvents::Event;
  broch_status put(Event event) {
    if (queue_.takes(event)) queue_.put(event);
    return BROCH_OK;
  }

  PluginSlot slot_;
  MonitorQueue& queue_;
  MonitorFailures& failures_;
};

}  // namespace broch::train
