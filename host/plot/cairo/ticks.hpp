// ticks.hpp: chooses round numbers for an axis.
#pragma once
#include <string>
#include <vector>

namespace broch::plot {

struct Axis {
  double low = 0, high = 1;
  double step = 1;           // 1, 2 or 5 times a power of ten
  bool logarithmic = false;  // low and high are powers of ten, and ticks are, too
  std::vector<double> ticks() const;
  std::string label(double tick) const;  // with as many digits as tell it from the next one
  double place(double value) const;      // 0 at low, 1 at high
};

// Covers low to high in about count steps, and begins and ends with a tick.
Axis round_axis(double low, double high, int count);
// The same on a logarithmic axis, for positive numbers.
Axis power_axis(double low, double high, int count);
// For whole numbers: steps of at least 1; begins exactly at low and ends exactly at high.
Axis whole_axis(double low, double high, int count);

}  // namespace broch::plot
