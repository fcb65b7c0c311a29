// ticks.cpp: ticks at 1, 2 or 5 times a power of ten.
#include "ticks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace broch::plot {
namespace {

constexpr double kSlack = 1e-6;   // part of a step, for ticks that rounding has moved beyond an end
constexpr double kEqual = 1e-12;  // numbers that differ by a smaller part are drawn as one

double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - kSlack)) return factor * power;
  return 10 * power;
}

}  // namespace

std::vector<double> Axis::ticks() const {
  std::vector<double> list;
  if (logarithmic) {
    const int last = int(std::lround(std::log10(high)));
    for (int power = int(std::lround(std::log10(low))); power <= last; power += int(step))
      list.push_back(std::pow(10, power));
    return list;
  }
  const double first = std::ceil(low / step - kSlack), last = std::floor(high / step + kSlack);
  // A counter of its own: a large first + 1 may be first.
  for (int i = 0; i <= last - first; ++i)
    list.push_back((first + i) * step + 0.0);  // + 0.0 turns -0 into 0
  return list;
}

double Axis::place(double value) const {
  if (!logarithmic) return (value - low) / (high - low);
  return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
}

std::string Axis::label(double tick) const {
  const double size = std::max(std::fabs(low), std::fabs(high));
  char text[32];
  const int place = int(std::floor(std::log10(step) + kSlack));  // of the last digit that differs
  if (logarithmic)
    std::snprintf(text, sizeof text, "%g", tick);
  else if (size >= 1e6 || step < 1e-5)
    std::snprintf(text, sizeof text, "%.*g",
                  std::max(3, int(std::floor(std::log10(size))) - place + 1), tick);
  else
    std::snprintf(text, sizeof text, "%.*f", std::max(0, -place), tick);
  return text;
}

Axis round_axis(double low, double high, int count) {
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (!(high - low > kEqual * size)) high = low + (low == 0 ? 1 : std::fabs(low));
  const double step = round_step((high - low) / count);
  return {std::floor(low / step + kSlack) * step, std::ceil(high / step - kSlack) * step, step,
          false};
}

Axis power_axis(double low, double high, int count) {
  const double first = std::floor(std::log10(low) + kSlack);
  const double last = std::max(first + 1, std::ceil(std::log10(high) - kSlack));
  const double step = std::max(1.0, std::ceil((last - first) / count));
  return {std::pow(10, first), std::pow(10, last), step, true};
}

Axis whole_axis(double low, double high, int count) {
  if (!(high > low)) return {low - 1, low + 1, 1, false};
  return {low, high, std::max(1.0, round_step((high - low) / count)), false};
}

}  // namespace broch::plot
