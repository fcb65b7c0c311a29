// ticks.hpp: round numbers for an axis.
#pragma once
#include <string>
#include <vector>

namespace broch::plot {

struct Axis {
  double low = 0, high = 1;
  double step = 1;  // 1, 2 or 5 times a power of ten
  std::vector<double> ticks() const;
  std::string label(double tick) const;  // as many decimals as the step has
};

// Covers low to high in about `count` steps and ends on ticks.
Axis round_axis(double low, double high, int count);
// For counted things: steps of at least 1, ends exactly at low and high.
Axis whole_axis(double low, double high, int count);

}  // namespace broch::plot
