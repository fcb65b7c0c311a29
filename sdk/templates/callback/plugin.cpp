// @FILE@.cpp: a callback that reports the mean of a value, after each epoch or when it is told to.
#include <broch/broch.hpp>
#include <cstdlib>
#include <sstream>

namespace {

struct Options {
  std::string value, metric;

  static constexpr auto schema = broch::options(
      broch::option("value", &Options::value, "Published name of one number.").by_default("cost"),
      broch::option("metric", &Options::metric, "Name of what is reported.")
          .by_default("mean_cost"));
};

class @CLASS@ final : public broch::Callback, public broch::Stateful {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : run_(host), metrics_(host), options_(options) {}

  void setup_graph() override { fetch_ = run_.fetch(options_.value); }
  void after_run(broch_run run) override {
    if (const auto value = run_.scalar(run, fetch_)) sum_ += *value, ++steps_;
  }
  void trigger() override {  // after each epoch, or when "when" in the manifest says so
    if (steps_ > 0) metrics_.put_scalar(options_.metric, sum_ / double(steps_));
    sum_ = 0, steps_ = 0;
  }

  // A run may be resumed between two reports.
  static constexpr uint32_t kStateVersion = 1;
  std::string save_state() override {
    return broch::number_text(sum_) + " " + std::to_string(steps_);
  }
  void load_state(uint32_t, const std::string& bytes) override {
    std::istringstream words(bytes);
    std::string sum;
    if (!(words >> sum >> steps_)) throw broch::Error("these are not a sum and a number of steps");
    sum_ = std::strtod(sum.c_str(), nullptr);  // unlike >>, it reads inf and nan
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

BROCH_CALLBACK(@CLASS@, "@ID@", "0.1.0", "Reports the mean of a value.",
               Options::schema, broch::produces("{metric}"))
