// target_reached.cpp: ends training when a metric is small enough.
#include <broch/broch.hpp>

class TargetReached final : public broch::Callback {
 public:
  explicit TargetReached(const broch::Host& host)
      : metrics_(host),
        metric_(broch::Config(host).string("/metric")),
        target_(broch::Config(host).number("/target")) {}

  void trigger() override {
    const auto latest = metrics_.latest(metric_);
    if (!latest) throw broch::Error("no metric named " + metric_);
    if (latest->value <= target_) throw broch::StopTraining(metric_ + " reached its target");
  }

 private:
  broch::Metrics metrics_;
  std::string metric_;
  double target_;
};

BROCH_CALLBACK(TargetReached, "net.outsider.target-reached", "1.0.0",
               "Ends training when a metric is small enough.", R"({
  "type": "object",
  "properties": {"metric": {"type": "string"}, "target": {"type": "number"}},
  "required": ["metric", "target"], "additionalProperties": false})")
