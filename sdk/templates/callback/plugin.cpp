// @FILE@.cpp: a callback that reports the mean of a value over each epoch.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string value, metric;

  static constexpr auto schema = broch::options(
      broch::option("value", &Options::value, "Published name of one number.").by_default("cost"),
      broch::option("metric", &Options::metric, "Name of what is reported.")
          .by_default("mean_cost"));
};

class @CLASS@ final : public broch::Callback {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : run_(host), metrics_(host), options_(options) {}

  void setup_graph() override { fetch_ = run_.fetch(options_.value); }
  void before_epoch() override { sum_ = 0, steps_ = 0; }
  void after_run(broch_run run) override {
    if (const auto value = run_.scalar(run, fetch_)) sum_ += *value, ++steps_;
  }
  void trigger_epoch() override {
    if (steps_ > 0) metrics_.put_scalar(options_.metric, sum_ / double(steps_));
  }

 private:
  broch::Run run_;
  broch::Metrics metrics_;
  Options options_;
  uint32_t fetch_ = 0;
  double sum_ = 0;
  int64_t steps_ = 0;
};

}  // namespace

BROCH_CALLBACK(@CLASS@, "@ID@", "0.1.0", "Reports the mean of a value over each epoch.",
               Options::schema, broch::produces("{metric}"))
