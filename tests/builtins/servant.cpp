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
        name_(host.require<broch_instance>(BROCH_EXT_INSTANCE)->name(host.c())),
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
    write("below", rng.below(uint64_t(config.integer("/bound")), index, n));
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

constexpr broch_component kComponents[] = {broch::component<Servant>("test.servant", "callback"),
                                           broch::component<Dice>("test.dice", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents,
             "{\"components\": [" BROCH_META("test.servant", "callback", "1.0.0", "Serves.", R"({
  "type": "object",
  "properties": {"trace": {"type": "string"}, "fails_in": {"type": "string", "default": ""}},
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
