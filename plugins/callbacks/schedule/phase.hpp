// phase.hpp: a part of a schedule, in which the value follows one formula.
#pragma once
#include "../../options/tagged.hpp"

namespace broch::callbacks {

// A point is an epoch or a step; t counts the points from the beginning of the phase.
struct Phase {
  virtual ~Phase() = default;
  virtual double at(double t) const = 0;
  // The value at its end, if it has a length: it is kept, or another phase follows it.
  virtual double last() const { return at(double(length)); }
  // Whether it can be the first phase, which no other one precedes.
  virtual bool knows_start() const { return from.has_value(); }
  // The phase before ends with this value.
  virtual void follow(double value) {
    if (!from) from = value;
  }

  std::optional<double> from;
  int64_t length = 0;  // of the last phase, 0: to the end of the training

  static constexpr auto start =
      options(option("from", &Phase::from,
                     "The value at its beginning; null: that at the end of the one before."));
  static constexpr auto schema = options(
      start, option("length", &Phase::length,
                    "Number of points; the last phase may leave it out, and then takes the rest of "
                    "the training.")
                 .minimum(1)
                 .may_be_absent());
};

}  // namespace broch::callbacks
