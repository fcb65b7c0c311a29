// ticks.hpp: round numbers for an axis.
#pragma once
#include <string>
#include <vector>

namespace broch::plot {

struct Axis {
  double low = 0, high = 1;
  double step = 1;           // 1, 2 or 5 times a power of ten
  bool logarithmic = false;  // low and high are powers of ten, ticks too, as far as there is room
  std::vector<double> ticks() const;
  std::string label(double tick) const;  // as many decimals as the step has
  double place(double value) const;      // 0 at low, 1 at high
};

// Covers low to high in about `count` steps and ends on ticks.
Axis round_axis(double low, double high, int count);
// The same for positive numbers over several powers of ten.
Axis power_axis(double low, double high, int count);
// For counted things: steps of at least 1, ends exactly at low and high.
Axis whole_axis(double low, double high, int count);

}  // namespace broch::plot
