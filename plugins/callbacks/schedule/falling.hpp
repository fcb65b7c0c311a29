// falling.hpp: phases that lead from one value to another, or multiply it. The formulas are those
// of torch.optim.lr_scheduler, in closed form.
#pragma once
#include <algorithm>
#include <cmath>

#include "phase.hpp"

namespace broch::callbacks {

constexpr double kPi = 3.14159265358979323846;

struct Constant final : Phase {
  static constexpr const char* kKind = "constant";
  static constexpr const char* kDescription = "The value does not change.";
  static constexpr auto schema = options(Phase::schema);
  double at(double) const override { return *from; }
};

struct Linear final : Phase {
  static constexpr const char* kKind = "linear";
  static constexpr const char* kDescription = "A straight line, such as a warm-up.";
  double to;
  static constexpr auto schema =
      options(Phase::schema, option("to", &Linear::to, "The value at its end."));
  double at(double t) const override {
    const double share = t / double(length);
    return *from * (1 - share) + to * share;
  }
};

struct Polynomial final : Phase {
  static constexpr const char* kKind = "polynomial";
  static constexpr const char* kDescription = "to + (from - to) * (1 - t / length)^power.";
  double to, power;
  static constexpr auto schema =
      options(Phase::schema, option("to", &Polynomial::to, "The value at its end.").by_default(0),
              option("power", &Polynomial::power, "The exponent.").above(0).by_default(1));
  double at(double t) const override {
    return to + (*from - to) * std::pow(1 - t / double(length), power);
  }
};

struct Cosine final : Phase {
  static constexpr const char* kKind = "cosine";
  static constexpr const char* kDescription =
      "Half a cosine wave: to + (from - to) * (1 + cos(pi * t / length)) / 2.";
  double to;
  static constexpr auto schema =
      options(Phase::schema, option("to", &Cosine::to, "The value at its end.").by_default(0));
  double at(double t) const override {
    return to + (*from - to) * (1 + std::cos(kPi * t / double(length))) / 2;
  }
};

struct Exponential final : Phase {
  static constexpr const char* kKind = "exponential";
  static constexpr const char* kDescription = "from * factor^(t / every).";
  double factor, every;
  static constexpr auto schema = options(
      Phase::schema,
      option("factor", &Exponential::factor, "Multiplies the value every `every` points.").above(0),
      option("every", &Exponential::every, "Number of points.").above(0).by_default(1));
  double at(double t) const override { return *from * std::pow(factor, t / every); }
};

struct Step final : Phase {
  static constexpr const char* kKind = "step";
  static constexpr const char* kDescription = "from * factor^floor(t / every).";
  double factor;
  int64_t every;
  static constexpr auto schema = options(
      Phase::schema,
      option("factor", &Step::factor, "Multiplies the value every `every` points.").by_default(0.1),
      option("every", &Step::every, "Number of points.").minimum(1));
  double at(double t) const override {
    return *from * std::pow(factor, std::floor(t / double(every)));
  }
};

struct MultiStep final : Phase {
  static constexpr const char* kKind = "multi_step";
  static constexpr const char* kDescription = "The value is multiplied at each of some points.";
  double factor;
  std::vector<int64_t> points;
  static constexpr auto schema = options(
      Phase::schema,
      option("factor", &MultiStep::factor, "Multiplies the value at each point.").by_default(0.1),
      option("points", &MultiStep::points, "Points, counted from the beginning of the phase.")
          .minimum(0)
          .min_items(1));
  double at(double t) const override {
    const auto passed = std::ranges::count_if(points, [t](int64_t p) { return double(p) <= t; });
    return *from * std::pow(factor, double(passed));
  }
};

struct Inverse final : Phase {
  static constexpr const char* kKind = "inverse";
  static constexpr const char* kDescription =
      "from / (1 + t / every)^power. With power 0.5, and the length of a warm-up before it as "
      "`every`, it falls with the square root of the point.";
  double every, power;
  static constexpr auto schema = options(
      Phase::schema, option("every", &Inverse::every, "Number of points.").above(0).by_default(1),
      option("power", &Inverse::power, "The exponent.").above(0).by_default(1));
  double at(double t) const override { return *from / std::pow(1 + t / every, power); }
};

}  // namespace broch::callbacks
