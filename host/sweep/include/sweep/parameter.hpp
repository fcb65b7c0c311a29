// parameter.hpp: one parameter of a sweep: a place in the manifest, and the values that it takes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "value/value.hpp"

namespace broch::sweep {

using value::Value;

struct Parameter {
  enum class Kind { values, uniform, log_uniform, integers };
  std::string path;      // of an override: "optimizer.with.learning_rate"
  value::Origin origin;  // where it was written
  Kind kind = Kind::values;
  std::vector<Value> values{};     // of kind values
  double low = 0, high = 0;        // of the other kinds; integers are exact
  std::optional<int64_t> steps{};  // in a grid

  bool is_number() const { return kind != Kind::values; }
  // All values for a grid: the list, every integer, or `steps` numbers between the ends, evenly
  // spaced by their logarithm if the kind is log_uniform. Nothing if there are infinitely many.
  std::optional<std::vector<Value>> grid() const;
  // The value of a trial, which depends on seed, path and trial alone.
  Value draw(uint64_t seed, uint64_t trial) const;
  // The values that a check tries: those of the list, or both ends and, of real numbers, one more.
  std::vector<Value> samples() const;
  bool allows(const Value& value) const;
  // "a number from 0 to 1, as uniform says".
  std::string expected() const;
};

}  // namespace broch::sweep
