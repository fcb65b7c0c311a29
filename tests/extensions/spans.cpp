// spans.cpp: a callback with spans of its own, on two threads.
#include <broch/broch.hpp>
#include <cmath>
#include <thread>

namespace {

class Spans final : public broch::Callback {
 public:
  explicit Spans(const broch::Host& host)
      : host_(host),
        profile_(host),
        table_(host.require<broch_host_profile>(BROCH_EXT_PROFILE)),
        closes_too_often_(broch::Config(host).boolean("/closes_too_often")),
        leaves_open_(broch::Config(host).boolean("/leaves_open")) {}

  void before_train() override {
    std::thread([this] {
      const broch::ThreadScope thread(host_, "worker");
      const broch::Span span(host_, "work");
    }).join();
  }
  void trigger_step() override {
    const broch::Span outer(host_, "outer \"quoted\"");
    const broch::Span inner(host_, "inner");
    profile_.counter("steps", ++steps_);
    profile_.counter("nothing", NAN);
    if (leaves_open_) host_.check(table_->begin(host_.c(), "open"));
    if (!closes_too_often_) return;
    for (int i = 0; i < 3; ++i) host_.check(table_->end(host_.c()));
  }
  void after_train() override { host_.info(profile_.enabled() ? "profiled" : "not profiled"); }

 private:
  broch::Host host_;
  broch::Profile profile_;
  const broch_host_profile* table_;  // Span does not let spans be opened and closed wrongly
  bool closes_too_often_, leaves_open_;
  double steps_ = 0;
};

}  // namespace

BROCH_CALLBACK(Spans, "test.spans", "1.0.0", "Opens spans.", R"({
  "type": "object",
  "properties": {"closes_too_often": {"type": "boolean", "default": false},
                 "leaves_open": {"type": "boolean", "default": false}},
  "additionalProperties": false
})")
