// pause.cpp: a callback that waits in each step and writes down its events; data that are slow; a
// trainer that needs no model; a callback that asks for what no host has; a dataflow without the
// one that it says it reorders.
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

// One float32 number a data point, after a wait.
class Slow final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;

  explicit Slow(const broch::Host& host) : seconds_(broch::Config(host).number("/seconds")) {}

  void setup(const broch_input_spec*, uint32_t) override {}
  void resume(const std::vector<std::string>&) override {}

  bool next(uint32_t, const broch::Cancel&, broch::PointWriter& point) override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds_));
    point.add(std::vector<float>{0}, {});
    return true;
  }

 private:
  double seconds_;
};

// One float32 number a data point.
class Alone final : public broch::DataFlow {
 public:
  explicit Alone(const broch::Host&) {}
  void open(const std::string&) override {}
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    point.add(std::vector<float>{0}, {});
    return true;
  }
};

// Has nothing to do.
class Idle final : public broch::SteppingTrainer {
 public:
  explicit Idle(const broch::Host&) {}
  void setup_graph() override {}
  broch_status run_step() override { return BROCH_OK; }
};

class Telepath final : public broch::Callback {
 public:
  explicit Telepath(const broch::Host&) {}
};

// Refuses an option that only it can judge.
class Picky final : public broch::Callback {
 public:
  explicit Picky(const broch::Host& host) {
    if (broch::Config(host).integer("/even") % 2 != 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/even: found an odd number, expected 2 or 4");
  }
};

constexpr broch_component kComponents[] = {broch::component<Pause>("test.pause", "callback"),
                                           broch::component<Telepath>("test.telepath", "callback"),
                                           broch::component<Picky>("test.picky", "callback"),
                                           broch::component<Slow>("test.slow", "input_source"),
                                           broch::component<Alone>("test.alone", "dataflow"),
                                           broch::component<Idle>("test.idle", "trainer")};

}  // namespace

#define NO_OPTIONS R"({"type": "object", "properties": {}, "additionalProperties": false})"

BROCH_PLUGIN(kComponents, "{\"components\": [" BROCH_META(
                              "test.idle", "trainer", "1.0.0", "Has nothing to do.",
                              NO_OPTIONS) ", " BROCH_META("test.pause", "callback", "1.0.0",
                                                          "Waits and writes down its events.", R"({
  "type": "object",
  "properties": {
    "seconds": {"type": "number", "minimum": 0, "default": 0, "description": "How long a step waits."},
    "events": {"type": "string", "description": "The file for one line an event."}
  },
  "required": ["events"],
  "additionalProperties": false
})") ", " BROCH_META("test.slow", "input_source", "1.0.0", "Waits before each data point.", R"({
  "type": "object",
  "properties": {"seconds": {"type": "number", "minimum": 0, "description": "How long."}},
  "required": ["seconds"],
  "additionalProperties": false
})") ", " BROCH_META("test.picky", "callback", "1.0.0", "Takes even numbers.", R"({
  "type": "object",
  "properties": {"even": {"type": "integer", "description": "An even number."}},
  "required": ["even"],
  "additionalProperties": false
})") R"(, {"id": "test.telepath", "role": "callback", "version": "1.0.0", "summary": "Wants more.",
  "requires_ext": ["broch.telepathy/1"], "options": {}},
  {"id": "test.alone", "role": "dataflow", "version": "1.0.0", "summary": "Numbers.",
  "reorders": "dataflow", "options": {
    "type": "object",
    "properties": {"dataflow": {"x-broch-component": "dataflow", "description": "Another one."}},
    "additionalProperties": false
  }}]})")
