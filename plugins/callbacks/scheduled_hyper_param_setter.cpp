// scheduled_hyper_param_setter.cpp: sets a hyper-parameter by a schedule of pairs (point, value).
// tensorpack: `ScheduledHyperParamSetter`.
//
// The value of point p is set after epoch (or step) p has finished; point 0 is before training.
#include <algorithm>
#include <cmath>

#include "number_shown.hpp"
#include "point_setter.hpp"

namespace {

constexpr double kLastPoint = 9007199254740992;  // 2^53

// place: of the pair in the schedule.
int64_t read_point(double point, size_t place) {
  if (point >= 0 && point <= kLastPoint) return int64_t(point);
  throw broch::Error(BROCH_E_INVALID_ARGUMENT, "/schedule/" + std::to_string(place) +
                                                   "/0: " + broch::number_text(point) +
                                                   ", expected a point from 0 to 2^53");
}

bool is_close(double a, double b) { return std::fabs(a - b) <= 1e-8 + 1e-5 * std::fabs(b); }

struct Options : broch::callbacks::PointOptions {
  std::vector<std::array<double, 2>> schedule;
  std::optional<std::string> interp;
  bool set_at_beginning;

  static constexpr auto schema = broch::options(
      PointOptions::schema,
      broch::option("schedule", &Options::schedule,
                    "Pairs [point, value]: the value is set after epoch (or step) `point`; 0: "
                    "before training. Points are truncated to whole numbers.")
          .min_items(1),
      broch::option("interp", &Options::interp, "linear: interpolate between two points.")
          .one_of(nullptr, "linear"),
      broch::option(
          "set_at_beginning", &Options::set_at_beginning,
          "If training starts in the middle of the schedule, set the value that it has there.")
          .by_default(true));
};

class ScheduledHyperParamSetter final : public broch::callbacks::PointSetter {
 public:
  ScheduledHyperParamSetter(const broch::Host& host, const Options& options)
      : PointSetter(host, options),
        linear_(options.interp),
        set_at_beginning_(options.set_at_beginning) {
    for (size_t i = 0; const auto& [point, value] : options.schedule)
      schedule_.push_back({read_point(point, i++), value});
    std::ranges::stable_sort(schedule_, {}, &std::pair<int64_t, double>::first);
  }

  void before_train() override {
    PointSetter::before_train();
    if (!run().progress().resumed) check_history();
  }
  // The value at a point of the schedule and, with interpolation, between two points; none
  // elsewhere. Of equal points, the first counts at the point and the last for what follows.
  std::optional<double> value_at(int64_t point) const override {
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

 private:
  // Compares the value with the one that a run from the beginning would have set by now.
  void check_history() {
    std::optional<double> expected;
    for (const auto& pair : schedule_)
      if (pair.first <= point()) expected = value_at(pair.first);
    if (const std::optional<double> now = value_at(point())) expected = now;
    if (!expected || is_close(*expected, current())) return;
    host().warning("according to the schedule " + param() + " should be " +
                   broch::callbacks::number_shown(*expected) + " at the current point, but it is " +
                   broch::callbacks::number_shown(current()) + ".");
    if (set_at_beginning_)
      set(*expected);
    else
      host().warning("set it by hand, or use set_at_beginning, if this is not what you want.");
  }

  std::vector<std::pair<int64_t, double>> schedule_;
  bool linear_, set_at_beginning_;
};

}  // namespace

BROCH_CALLBACK(ScheduledHyperParamSetter, "broch.callback.scheduled-hyper-param-setter", "1.0.0",
               "Sets a hyper-parameter by a schedule of points and values.", Options::schema,
               broch::produces("{param}"), broch::run_on("all"))
