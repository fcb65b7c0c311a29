// scheduled_hyper_param_setter.cpp: sets a hyper-parameter by a schedule of pairs (point, value).
// tensorpack: `ScheduledHyperParamSetter`.
//
// The value of point p is set after epoch (or step) p has finished; point 0 is before training.
#include <algorithm>
#include <cmath>

#include "hyper_param_setter.hpp"

namespace {

bool is_close(double a, double b) { return std::fabs(a - b) <= 1e-8 + 1e-5 * std::fabs(b); }

class ScheduledHyperParamSetter final : public broch::callbacks::HyperParamSetter {
 public:
  explicit ScheduledHyperParamSetter(const broch::Host& host) : HyperParamSetter(host) {
    const broch::Config config(host);
    linear_ = config.has("/interp");
    step_based_ = config.boolean("/step_based");
    set_at_beginning_ = config.boolean("/set_at_beginning");
    for (uint64_t i = 0, n = config.size("/schedule"); i < n; ++i) {
      const std::string at = "/schedule/" + std::to_string(i);
      if (config.size(at) != 2)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT, "schedule entry " + std::to_string(i) +
                                                         " has " + std::to_string(config.size(at)) +
                                                         " numbers, expected [point, value]");
      schedule_.push_back({int64_t(config.number(at + "/0")), config.number(at + "/1")});
    }
    std::sort(schedule_.begin(), schedule_.end());
  }

  void before_train() override {
    if (run().progress().resumed) return;  // the restored value is kept
    if (const std::optional<double> value = value_at(point())) set(*value);
    check_history();
  }
  void trigger() override {
    if (const std::optional<double> value = value_at(point())) set(*value);
  }
  void trigger_epoch() override {
    if (!step_based_) trigger();
  }
  void trigger_step() override {
    if (step_based_) trigger();
  }

 private:
  int64_t point() const {
    return step_based_ ? run().progress().global_step : run().progress().epoch_num;
  }

  // The value at a point of the schedule and, with interpolation, between two points; none
  // elsewhere.
  std::optional<double> value_at(int64_t point) const {
    for (size_t i = 0; i < schedule_.size(); ++i) {
      const auto [at, value] = schedule_[i];
      if (at == point) return value;
      if (at > point) {
        if (!linear_ || i == 0) return std::nullopt;
        const auto [before, from] = schedule_[i - 1];
        return double(point - before) / double(at - before) * (value - from) + from;
      }
    }
    return std::nullopt;
  }

  // Compares the value with the one that a run from the beginning would have set by now.
  void check_history() {
    std::optional<double> expected;
    for (const auto& [at, value] : schedule_)
      if (at <= point()) expected = value;
    if (const std::optional<double> now = value_at(point())) expected = now;
    if (!expected || is_close(*expected, current())) return;
    host().warning("according to the schedule " + param() + " should be " +
                   std::to_string(*expected) + " at the current point, but it is " +
                   std::to_string(current()) + ".");
    if (set_at_beginning_)
      set(*expected);
    else
      host().warning("set it by hand, or use set_at_beginning, if this is not what you want.");
  }

  std::vector<std::pair<int64_t, double>> schedule_;
  bool linear_, step_based_, set_at_beginning_;
};

constexpr broch_component kComponents[] = {broch::component<ScheduledHyperParamSetter>(
    "broch.callback.scheduled-hyper-param-setter", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.scheduled-hyper-param-setter", "role": "callback", "version": "1.0.0",
  "run_on": "all",
  "summary": "Sets a hyper-parameter by a schedule of points and values.",
  "produces": ["{param}"],
  "options": {
    "type": "object",
    "properties": {
      "param": {"type": "string", "minLength": 1,
                "description": "Name of a hyper-parameter, or of a variable with one element."},
      "schedule": {"type": "array", "minItems": 1,
                   "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                   "description": "Pairs [point, value]: the value is set after epoch (or step) `point`; 0: before training. Points are truncated to whole numbers."},
      "interp": {"enum": [null, "linear"], "default": null,
                 "description": "linear: interpolate between two points."},
      "step_based": {"type": "boolean", "default": false,
                     "description": "Points are global steps instead of epochs."},
      "set_at_beginning": {"type": "boolean", "default": true,
                           "description": "If training starts in the middle of the schedule, set the value that it has there."}
    },
    "required": ["param", "schedule"],
    "additionalProperties": false
  }}]})")
