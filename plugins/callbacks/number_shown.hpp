// number_shown.hpp: a number in a message, with the digits of a float, however small it is.
#pragma once
#include <cstdio>
#include <string>

namespace broch::callbacks {

inline std::string number_shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

}  // namespace broch::callbacks
