// real_number.cpp: compares so that NaN fails.
#include "base/real_number.hpp"

#include <cmath>
#include <cstdlib>

#include "base/text.hpp"

namespace broch::base {
namespace {

// accepts: which of the numbers that can be read.
template <class Accepts>
RealCheck check(Accepts accepts, const std::string& expected) {
  return [accepts, expected](const std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_read = !text.empty() && end == text.c_str() + text.size();
    if (is_read && accepts(value)) return {};
    return "Value " + base::quoted(text) + ", expected a number " + expected;
  };
}

}  // namespace

RealCheck within(double least, double most) {
  return check([least, most](double value) { return value >= least && value <= most; },
               "from " + general(least, 6) + " to " + general(most, 6));
}

RealCheck above_zero() {
  return check([](double value) { return value > 0 && std::isfinite(value); }, "above 0");
}

}  // namespace broch::base
