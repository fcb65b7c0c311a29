// hanging.cpp: an input source, a dataflow and a callback that hang where they are told to.
#include <broch/broch.hpp>
#include <thread>

#include "builtins/trace.hpp"

namespace {

using broch::Config;

// Where it hangs ("next", "stop", "wait", "before_run", "late" or nowhere) and how it tells.
class Hang {
 public:
  explicit Hang(const Config& config) : trace_(config), where_(config.string("/where")) {}
  // Never comes back, whatever is cancelled.
  void at(const char* place) const {
    if (where_ != place) return;
    trace_.write(std::string("hangs in ") + place);
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  void be_late() const {
    if (where_ == "late") std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  // Waits until cancelled, then throws.
  void wait(const broch::Cancel& cancel) const {
    if (where_ != "wait") return;
    trace_.write("waits");
    for (;;) cancel.wait(3'600'000'000'000);
  }

 private:
  broch::test::Trace trace_;
  std::string where_;
};

constexpr int64_t kHangingPoint = 2;

class Source final : public broch::InputSource {
 public:
  static constexpr uint32_t kFlags = 0;
  explicit Source(const broch::Host& host) : hang_(Config(host)) {}
  void setup(const broch_input_spec*, uint32_t) override {}
  void resume(const std::vector<std::string>&) override {}
  bool next(uint32_t, const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (points_++ == kHangingPoint) {
      hang_.at("next");
      hang_.wait(cancel);
    }
    point.add(std::vector<float>{1}, {1});
    point.set_cursor(std::to_string(points_));
    return true;
  }
  void stop() override { hang_.at("stop"); }

 private:
  Hang hang_;
  int64_t points_ = 0;
};

class Flow final : public broch::DataFlow {
 public:
  explicit Flow(const broch::Host& host) : hang_(Config(host)) {}
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (points_++ == kHangingPoint) {
      hang_.at("next");
      hang_.wait(cancel);
    }
    point.add(std::vector<float>{1}, {1});
    point.set_cursor(std::to_string(points_));
    return true;
  }

 private:
  Hang hang_;
  int64_t points_ = 0;
};

// Hangs in its third step, or is late there by 2 seconds.
class Callback final : public broch::Callback {
 public:
  explicit Callback(const broch::Host& host) : hang_(Config(host)) {}
  uint64_t before_run(broch_run, uint64_t fetches) override {
    if (runs_++ == kHangingPoint) {
      hang_.at("before_run");
      hang_.be_late();
    }
    return fetches;
  }

 private:
  Hang hang_;
  int64_t runs_ = 0;
};

constexpr broch_component kComponents[] = {
    broch::component<Callback>("test.hanging-callback", "callback"),
    broch::component<Source>("test.hanging-source", "input_source"),
    broch::component<Flow>("test.hanging-flow", "dataflow")};

}  // namespace

// clang-format off
#define HANGING_OPTIONS \
  R"({)" \
  R"("type": "object", )" \
  R"("properties": {"where": {"type": "string"}, "trace": {"type": "string"}}, )" \
  R"("required": ["where", "trace"], )" \
  R"("additionalProperties": false )" \
  R"(} )"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("test.hanging-callback", "callback", "1.0.0", "Hangs.", HANGING_OPTIONS) ", "
  BROCH_META("test.hanging-source", "input_source", "1.0.0", "Hangs.", HANGING_OPTIONS) ", "
  BROCH_META("test.hanging-flow", "dataflow", "1.0.0", "Hangs.", HANGING_OPTIONS) "]}")
// clang-format on
