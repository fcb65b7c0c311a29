// @FILE@.cpp: a callback that reports the mean of a value over each epoch.
#include <broch/broch.hpp>

namespace {

class @CLASS@ final : public broch::Callback {
 public:
  explicit @CLASS@(const broch::Host& host)
      : run_(host), metrics_(host), value_(broch::Config(host).string("/value")),
        metric_(broch::Config(host).string("/metric")) {}

  void setup_graph() override { fetch_ = run_.fetch(value_); }
  void before_epoch() override { sum_ = 0, steps_ = 0; }
  void after_run(broch_run run) override {
    if (const auto value = run_.scalar(run, fetch_)) sum_ += *value, ++steps_;
  }
  void trigger_epoch() override {
    if (steps_ > 0) metrics_.put_scalar(metric_, sum_ / double(steps_));
  }

 private:
  broch::Run run_;
  broch::Metrics metrics_;
  std::string value_, metric_;
  uint32_t fetch_ = 0;
  double sum_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

BROCH_CALLBACK(@CLASS@, "@ID@", "0.1.0", "Reports the mean of a value over each epoch.", R"({
  "type": "object",
  "properties": {
    "value": {"type": "string", "default": "cost", "description": "Published name of one number."},
    "metric": {"type": "string", "default": "mean_cost", "description": "Name of what is reported."}
  },
  "additionalProperties": false
})")
