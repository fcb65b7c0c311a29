// derived_metric.cpp: makes a metric of others, such as a perplexity of a cost.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string name;
  broch::ChildFunction value;

  static constexpr auto schema = broch::options(
      broch::option("name", &Options::name, "Name of the new metric.").min_length(1),
      broch::option("value", &Options::value,
                    "Evaluated on each trigger, with the latest values of metrics as "
                    "stat(\"NAME\"). As long as it has no value, nothing is reported."));
};

class DerivedMetric final : public broch::Callback {
 public:
  DerivedMetric(const broch::Host& host, const Options& options)
      : run_(host), metrics_(host), name_(options.name), value_(options.value) {}

  void trigger() override {
    const auto latest = metrics_.latest(name_);
    const double before = latest ? latest->value : 0;
    if (const auto value = value_.call(run_.progress(), before)) metrics_.put_scalar(name_, *value);
  }

 private:
  broch::Run run_;
  broch::Metrics metrics_;
  std::string name_;
  broch::ChildFunction value_;
};

}  // namespace

BROCH_CALLBACK(DerivedMetric, "broch.callback.derived-metric", "1.0.0",
               "Makes a metric of others by an expression.", Options::schema,
               broch::produces("{name}"))
