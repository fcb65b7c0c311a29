// real_number.hpp: which real numbers a text may be.
#pragma once
#include <functional>
#include <string>

namespace broch::base {

// What is wrong with a text; "" if nothing is. Never takes NaN.
using RealCheck = std::function<std::string(const std::string& text)>;

RealCheck within(double least, double most);
RealCheck above_zero();  // and finite

}  // namespace broch::base
