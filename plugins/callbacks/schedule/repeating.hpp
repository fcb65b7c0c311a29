// repeating.hpp: phases that rise and fall. Sources: torch.optim.lr_scheduler (CyclicLR,
// CosineAnnealingWarmRestarts, OneCycleLR); for peak_factor Keras, CosineDecayRestarts.
#pragma once
#include "falling.hpp"

namespace broch::callbacks {

struct Cyclic final : Phase {
  static constexpr const char* kKind = "cyclic";
  static constexpr const char* kDescription =
      "Rises and falls along straight lines, again and again.";
  enum class Mode { triangular, triangular2, exp_range };
  double peak, factor;
  int64_t up;
  std::optional<int64_t> down;
  Mode mode;
  static constexpr auto schema = options(
      Phase::schema, option("peak", &Cyclic::peak, "The value between rise and fall."),
      option("up", &Cyclic::up, "Number of points of a rise.").minimum(1),
      option("down", &Cyclic::down, "Number of points of a fall; null: as of a rise.").minimum(1),
      option("mode", &Cyclic::mode,
             "triangular: all cycles are alike; triangular2: each is half as high as the one "
             "before; exp_range: the height is multiplied by factor^t.")
          .one_of("triangular", "triangular2", "exp_range")
          .by_default("triangular"),
      option("factor", &Cyclic::factor, "For exp_range.").above(0).by_default(1));
  double at(double t) const override {
    const double rise = double(up), fall = double(down.value_or(up));
    const double cycle = std::floor(t / (rise + fall)), place = t - cycle * (rise + fall);
    const double height = place <= rise ? place / rise : 1 - (place - rise) / fall;
    return *from + (peak - *from) * height * scale(cycle, t);
  }

 private:
  double scale(double cycle, double t) const {
    switch (mode) {
      case Mode::triangular:
        return 1;
      case Mode::triangular2:
        return std::exp2(-cycle);
      case Mode::exp_range:
        return std::pow(factor, t);
    }
    return 1;
  }
};

struct CosineRestarts final : Phase {
  static constexpr const char* kKind = "cosine_restarts";
  static constexpr const char* kDescription = "Falls as `cosine` does, again and again.";
  double to, peak_factor;
  int64_t period, period_factor;
  static constexpr auto schema = options(
      Phase::schema, option("to", &CosineRestarts::to, "The value before a restart.").by_default(0),
      option("period", &CosineRestarts::period, "Number of points of the first fall.").minimum(1),
      option("period_factor", &CosineRestarts::period_factor,
             "Each fall takes that many times as long as the one before.")
          .minimum(1)
          .by_default(1),
      option("peak_factor", &CosineRestarts::peak_factor,
             "Each fall begins at that many times the value at which the one before began.")
          .above(0)
          .by_default(1));
  double at(double t) const override {
    const Fall fall = fall_at(t);
    const double peak = *from * std::pow(peak_factor, fall.restarts);
    return to + (peak - to) * (1 + std::cos(kPi * fall.t / fall.length)) / 2;
  }
  double last() const override {
    return fall_at(double(length)).t == 0 ? to : at(double(length));  // no restart at the end
  }

 private:
  struct Fall {
    double t, length, restarts;  // t: from its beginning
  };
  Fall fall_at(double t) const {
    Fall fall{t, double(period), 0};
    if (period_factor == 1) {
      fall.restarts = std::floor(t / fall.length);
      fall.t -= fall.restarts * fall.length;
      return fall;
    }
    for (; fall.t >= fall.length; ++fall.restarts, fall.length *= double(period_factor))
      fall.t -= fall.length;
    return fall;
  }
};

struct OneCycle final : Phase {
  static constexpr const char* kKind = "one_cycle";
  static constexpr const char* kDescription =
      "One rise and one fall, which goes far below the beginning.";
  enum class Anneal { cosine, linear };
  double peak, rise;
  std::optional<double> to;
  Anneal anneal;
  bool three_phase;
  static constexpr auto schema =
      options(option("from", &OneCycle::from, "The value at its beginning; null: peak / 25."),
              option("peak", &OneCycle::peak, "The value after the rise."),
              option("to", &OneCycle::to, "The value of its last point; null: from / 10000."),
              option("length", &OneCycle::length,
                     "Number of points; the last phase may leave it out, and then takes the rest "
                     "of the training.")
                  .minimum(1)
                  .may_be_absent(),
              option("rise", &OneCycle::rise, "Share of the points that the rise takes.")
                  .minimum(0)
                  .maximum(1)
                  .by_default(0.3),
              option("anneal", &OneCycle::anneal, "The form of rise and fall.")
                  .one_of("cosine", "linear")
                  .by_default("cosine"),
              option("three_phase", &OneCycle::three_phase,
                     "Whether the value falls to `from` in the time of the rise, and then to `to`.")
                  .by_default(false));

  bool knows_start() const override { return true; }
  void follow(double) override {}
  double at(double t) const override {
    const double low = from.value_or(peak / 25), last = to.value_or(low / 10000);
    const double end = double(length) - 1, top = rise * double(length) - 1;
    if (t <= top) return between(low, peak, t / top);
    if (!three_phase) return between(peak, last, (t - top) / (end - top));
    const double middle = 2 * rise * double(length) - 2;
    if (t <= middle) return between(peak, low, (t - top) / (middle - top));
    return between(low, last, (t - middle) / (end - middle));
  }

 private:
  // share: from 0 at the beginning to 1 at the end; beyond the end, or if both are the same point,
  // it counts as 1.
  double between(double a, double b, double share) const {
    if (!(share < 1)) return b;
    if (anneal == Anneal::linear) return a + (b - a) * share;
    return b + (a - b) * (1 + std::cos(kPi * share)) / 2;
  }
};

}  // namespace broch::callbacks
