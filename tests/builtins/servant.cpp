// servant.cpp: a callback with a service beside training, and one that draws.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <broch/broch.hpp>
#include <thread>

#include "trace.hpp"

namespace {

using broch::test::text_of;
using broch::test::Trace;

// Writes "NAME EVENT" at each event of its life; its thread writes whether signals are for others.
class Servant final : public broch::Callback, public broch::Service {
 public:
  explicit Servant(const broch::Host& host)
      : trace_(broch::Config(host)),
        name_(broch::Instance(host).name()),
        fails_in_(broch::Config(host).string("/fails_in")) {}
  ~Servant() override { write("destroy"); }

  void before_train() override { write("before_train"), refuse("before_train"); }
  void after_train() override { write("after_train"); }

  void start_service() override {
    write("start");
    refuse("start");
    ends_ = false;
    thread_ = std::thread([this] {
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      blocked_ = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1;
      while (!ends_) std::this_thread::yield();
    });
  }
  void stop_service() override {
    while (fails_in_ == "hang") pause();
    ends_ = true;
    thread_.join();
    write(blocked_ ? "stop, signals were blocked" : "stop, signals were not blocked");
    refuse("stop");
  }

 private:
  void write(const std::string& event) const { trace_.write(name_ + " " + event); }
  void refuse(const std::string& event) const {
    if (event == fails_in_) throw broch::Error(BROCH_E_INTERNAL, "no " + event + " today");
  }

  Trace trace_;
  std::string name_, fails_in_;
  std::thread thread_;
  std::atomic<bool> ends_{false}, blocked_{false};
};

// Writes what it draws from a stream at an index.
class Dice final : public broch::Callback {
 public:
  explicit Dice(const broch::Host& host) : trace_(broch::Config(host)) {
    const broch::Config config(host);
    const broch::Rng rng(host, config.string("/stream"));
    const auto index = uint64_t(config.integer("/index"));
    const auto n = size_t(config.integer("/n"));
    write("bits", rng.bits(index, n));
    write("uniform", rng.uniform(index, n));
    write("normal", rng.normal(index, n));
    write("below", rng.below(index, uint64_t(config.integer("/bound")), n));
    write("order", rng.permutation(index, n));
  }

 private:
  template <class T>
  void write(std::string line, const std::vector<T>& values) const {
    for (const T value : values)
      if constexpr (std::is_same_v<T, double>)
        line.append(" ").append(text_of(value));
      else
        line.append(" ").append(std::to_string(value));
    trace_.write(line);
  }

  Trace trace_;
};

// Writes what the CPU has and holds, and what is said of devices that are not there.
class Machine final : public broch::Callback {
 public:
  explicit Machine(const broch::Host& host) : host_(host), trace_(broch::Config(host)) {}

  void before_train() override {
    const broch::Device cpu(host_);
    write("count", broch::Device::count(host_, BROCH_DL_CPU));
    write("types", broch::Device::count(host_, 77));
    trace_.write("name " + std::string(cpu.info().name));
    write("total", cpu.info().total);
    const int64_t before = cpu.memory().used;
    {
      const std::vector<char> held(size_t(1) << 27, 1);
      write("grown", cpu.memory().used - before + held[5] - 1);
    }
    cpu.reset_peak();
    write("used", cpu.memory().used);
    write("peak", cpu.memory().peak);
    write("free", cpu.memory().free);
    cpu.synchronize();
    try {
      broch::Device(host_, BROCH_DL_CUDA, 99).info();
    } catch (const broch::Error& error) {
      trace_.write("cuda:99 " + std::to_string(error.status()));
    }
    broch::Device(host_, 77).info();
  }

 private:
  template <class Number>
  void write(const std::string& name, Number number) const {
    trace_.write(name + " " + std::to_string(number));
  }

  broch::Host host_;
  Trace trace_;
};

constexpr broch_component kComponents[] = {broch::component<Servant>("test.servant", "callback"),
                                           broch::component<Dice>("test.dice", "callback"),
                                           broch::component<Machine>("test.machine", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents,
             "{\"components\": [" BROCH_META("test.servant", "callback", "1.0.0", "Serves.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}, "fails_in": {"type": "string", "default": ""}},
  "required": ["trace"],
  "additionalProperties": false
})") ", " BROCH_META("test.machine", "callback", "1.0.0", "Looks at devices.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}},
  "required": ["trace"],
  "additionalProperties": false
})") ", " BROCH_META("test.dice", "callback", "1.0.0", "Draws.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}, "stream": {"type": "string", "default": "s"},
                 "index": {"type": "integer", "default": 0}, "n": {"type": "integer", "default": 4},
                 "bound": {"type": "integer", "default": 6}},
  "required": ["trace"],
  "additionalProperties": false
})") "]}")
