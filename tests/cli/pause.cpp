// pause.cpp: a callback that waits in each step and writes down its events.
#include <broch/broch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

namespace {

class Pause final : public broch::Callback {
 public:
  explicit Pause(const broch::Host& host) : run_(host) {
    const broch::Config config(host);
    seconds_ = config.number("/seconds");
    events_ = config.string("/events");
  }

  uint64_t before_run(broch_run, uint64_t fetches) override {
    note("before_run");
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    return fetches;
  }
  void trigger_step() override { note("trigger_step"); }
  void after_train() override { note("after_train"); }

 private:
  void note(const char* event) const {
    std::ofstream(events_, std::ios::app) << event << ' ' << run_.progress().global_step << '\n';
  }

  broch::Run run_;
  double seconds_;
  std::string events_;
};

}  // namespace

BROCH_CALLBACK(Pause, "test.pause", "1.0.0", "Waits in each step and writes down its events.", R"({
  "type": "object",
  "properties": {
    "seconds": {"type": "number", "minimum": 0, "default": 0, "description": "How long a step waits."},
    "events": {"type": "string", "description": "The file for one line an event."}
  },
  "required": ["events"],
  "additionalProperties": false
})")
