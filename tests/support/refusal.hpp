// refusal.hpp: errors as text, and what their messages have to say.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <string>

#include "base/error.hpp"
#include "matches.hpp"

namespace support {

struct Refusal {
  int exit = 0;
  std::string text;  // empty: nothing was refused
};

inline Refusal refusal(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const broch::base::Error& error) {
    return {static_cast<int>(error.exit()), error.what()};
  }
}

// Four expressions that a message has to match, in this order.
struct Expected {
  std::string place, found, expected, next;
};

inline void check_refusal(const std::string& what, const Refusal& refused, const Expected& wanted,
                          int exit = 3) {
  CAPTURE(what);
  CAPTURE(refused.text);
  CHECK(refused.exit == exit);
  const std::string pattern = "(^|\n)" + wanted.place + "[^\n]*: [^\n]*" + wanted.found +
                              "[^\n]*, expected [^\n]*" + wanted.expected +
                              "[^\n]*\n  hint: [^\n]*" + wanted.next;
  CHECK(matches(refused.text, pattern));
}

}  // namespace support
