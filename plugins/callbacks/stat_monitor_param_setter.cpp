// stat_monitor_param_setter.cpp: changes a hyper-parameter when a metric does not improve any more.
// tensorpack: `StatMonitorParamSetter`.
//
// A window holds the last k values of the metric. If none of them is better than the first by more
// than the threshold, the parameter changes and the window is emptied.
#include <algorithm>
#include <broch/broch.hpp>

#include "../options/saved_state.hpp"

namespace {

struct Options : broch::HyperParamOptions {
  std::string stat_name;
  broch::ChildFunction value_func;
  double threshold;
  size_t last_k;
  bool reverse;

  static constexpr auto schema = broch::options(
      HyperParamOptions::schema,
      broch::option("stat_name", &Options::stat_name, "The metric to watch.").min_length(1),
      broch::option("value_func", &Options::value_func,
                    "The new value; `value` in it is the current one, as in \"value * 0.5\"."),
      broch::option("threshold", &Options::threshold,
                    "An improvement over the first value of the window has to be larger."),
      broch::option("last_k", &Options::last_k, "Number of values in the window.").minimum(1),
      broch::option("reverse", &Options::reverse, "Larger values of the metric are better.")
          .by_default(false));
};

class StatMonitorParamSetter final : public broch::HyperParamSetter, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  StatMonitorParamSetter(const broch::Host& host, const Options& options)
      : HyperParamSetter(host, options),
        metrics_(host),
        stat_(options.stat_name),
        value_func_(options.value_func),
        threshold_(options.threshold),
        last_k_(options.last_k),
        reverse_(options.reverse) {}

  void trigger() override {
    const auto latest = metrics_.latest(stat_);
    if (!latest) return host().warning("metric " + stat_ + " has no value yet");
    if (latest->global_step == last_step_)
      return host().warning("metric " + stat_ + " has no new value since step " +
                            std::to_string(last_step_));
    last_step_ = latest->global_step;
    window_.push_back(latest->value);
    while (window_.size() > last_k_) window_.erase(window_.begin());
    if (window_.size() < last_k_ || !has_stalled()) return;
    window_.clear();
    const auto value = value_func_.call(run().progress(), current());
    if (!value) return;
    host().info(stat_ + " has not improved in " + std::to_string(last_k_) + " values");
    set(*value);
  }

  std::string save_state() override {
    std::string text = std::to_string(last_step_);
    for (const double value : window_) text += " " + broch::number_text(value);
    return text;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    const char* at = bytes.c_str();
    char* end = nullptr;
    last_step_ = std::strtoll(at, &end, 10);
    if (end == at) refuse(bytes);
    window_.clear();
    for (at = end; *at; at = end) {
      window_.push_back(std::strtod(at, &end));
      if (end == at) refuse(bytes);
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& bytes) {
    broch::saved::refuse(broch::saved::quoted(bytes), "a step, and the values since");
  }

  // NaN is not better than another value, and none is better than NaN, as in tensorpack.
  bool has_stalled() const {
    return std::none_of(window_.begin(), window_.end(), [this](double value) {
      return reverse_ ? value > window_[0] + threshold_ : value < window_[0] - threshold_;
    });
  }

  broch::Metrics metrics_;
  std::string stat_;
  broch::ChildFunction value_func_;
  double threshold_;
  size_t last_k_;
  bool reverse_;
  std::vector<double> window_;
  int64_t last_step_ = -1;
};

}  // namespace

BROCH_CALLBACK(StatMonitorParamSetter, "broch.callback.stat-monitor-param-setter", "1.0.0",
               "Changes a hyper-parameter when a metric does not improve any more.",
               Options::schema, broch::produces("{param}"), broch::consumes("{stat_name}"))
