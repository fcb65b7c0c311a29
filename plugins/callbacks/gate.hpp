// gate.hpp: base class of the callbacks that pass some events on to another callback and leave
// others out. tensorpack: `EnableCallbackIf`.
//
// setup_graph, before_train, after_train and trigger always reach the other callback. Whether
// after_run does was decided in before_run of the same hooked run.
#pragma once
#include <broch/broch.hpp>

namespace broch::callbacks {

class Gate : public broch::Callback {
 public:
  void setup_graph() override { child_.setup_graph(); }
  void before_train() override { child_.before_train(); }
  void after_train() override { child_.after_train(); }
  void trigger() override { child_.trigger(); }

  void before_epoch() override {
    if (is_open()) child_.before_epoch();
  }
  void after_epoch() override {
    if (is_open()) child_.after_epoch();
  }
  uint64_t before_run(broch_run run, uint64_t fetches) override {
    runs_ = opens_run();
    return runs_ ? child_.before_run(run, fetches) : 0;
  }
  void after_run(broch_run run) override {
    if (runs_) child_.after_run(run);
  }
  void trigger_step() override {
    if (is_open()) child_.trigger_step();
  }
  void trigger_epoch() override {
    if (is_open()) child_.trigger_epoch();
  }

 protected:
  Gate(const broch::Host& host, broch::ChildCallback child) : run_(host), child_(child) {}

  virtual bool is_open() = 0;
  // The same in before_run, where the run that begins has not been counted yet.
  virtual bool opens_run() { return is_open(); }
  const broch_progress& progress() const { return run_.progress(); }

 private:
  broch::Run run_;
  broch::ChildCallback child_;
  bool runs_ = false;  // whether the current hooked run is passed on
};

}  // namespace broch::callbacks
