// monitor_slot.hpp: a monitor in the list of callbacks.
#pragma once
#include "monitors/monitors.hpp"
#include "train/callbacks.hpp"

namespace broch::train {

// Passes the events on to a monitor that implements broch.callback/1, measures their time, and
// passes over its failures.
class MonitorSlot final : public CallbackSlot {
 public:
  MonitorSlot(abi::Instance& monitor, Monitors& all)
      : CallbackSlot(monitor.name(), &monitor),
        slot_(monitor),
        failures_(all.failures()),
        time_(all.times().of(monitor)) {}

  bool has_before_run() const override { return slot_.has_before_run(); }
  bool has_after_run() const override { return slot_.has_after_run(); }
  bool has_trigger_step() const override { return slot_.has_trigger_step(); }

  broch_status setup_graph() override { return slot_.setup_graph(); }
  broch_status before_train() override { return slot_.before_train(); }
  broch_status after_train() override {
    return pass_over([this] { return slot_.after_train(); });
  }
  broch_status before_epoch() override {
    return pass_over([this] { return slot_.before_epoch(); });
  }
  broch_status after_epoch() override {
    return pass_over([this] { return slot_.after_epoch(); });
  }
  broch_status before_run(broch_run run, uint64_t* fetches) override {
    return pass_over([&] { return slot_.before_run(run, fetches); });
  }
  broch_status after_run(broch_run run) override {
    return pass_over([&] { return slot_.after_run(run); });
  }
  broch_status trigger_step() override {
    return pass_over([this] { return slot_.trigger_step(); });
  }
  broch_status trigger_epoch() override {
    return pass_over([this] { return slot_.trigger_epoch(); });
  }

 private:
  template <class Hook>
  broch_status pass_over(Hook&& hook) {
    broch_status status = BROCH_OK;
    failures_.pass_over(*instance(), [&] { time_.measure([&] { status = hook(); }); });
    return status;
  }

  PluginSlot slot_;
  MonitorFailures& failures_;
  MonitorTimes::One& time_;
};

}  // namespace broch::train
