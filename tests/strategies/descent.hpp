// descent.hpp: what the strategies do to one number, in a few lines of plain arithmetic, and cases
// drawn from seeds.
#pragma once
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/environment.hpp"

namespace broch::test {

// gradients[step][tower]
using Gradients = std::vector<std::vector<double>>;

struct Optimizer {
  std::string use = "sgd";
  double rate = 0.1;
};

// The value of w after each update of one optimizer that was given these gradients.
class Descent {
 public:
  explicit Descent(const Optimizer& optimizer) : optimizer_(optimizer) {}
  void apply(double gradient) {
    ++steps_;
    if (optimizer_.use == "sgd") {
      w -= optimizer_.rate * gradient;
    } else if (optimizer_.use == "momentum") {
      mean_ = steps_ == 1 ? gradient : 0.9 * mean_ + gradient;
      w -= optimizer_.rate * mean_;
    } else {
      mean_ = 0.9 * mean_ + 0.1 * gradient;
      square_ = 0.999 * square_ + 0.001 * gradient * gradient;
      const double root = std::sqrt(square_ / (1 - std::pow(0.999, steps_)));
      w -= optimizer_.rate * (mean_ / (1 - std::pow(0.9, steps_))) / (root + 1e-8);
    }
  }
  double w = 1;

 private:
  Optimizer optimizer_;
  int steps_ = 0;
  double mean_ = 0, square_ = 0;
};

inline void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(std::abs(found[i] - expected[i]) <= 1e-5 * std::max(1.0, std::abs(expected[i])));
}

inline uint64_t first_seed() {
  return uint64_t(from_environment("BROCH_FUZZ_SEED", int64_t{std::random_device{}()}));
}

inline double mean_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

inline double sum_of(const std::vector<double>& numbers) {
  return mean_of(numbers) * static_cast<double>(numbers.size());
}

// A case of its own for each seed.
class Cases {
 public:
  explicit Cases(uint64_t seed) : engine_(seed) {}
  int64_t integer(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine_);
  }
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Optimizer optimizer() {
    static const char* const kUses[] = {"sgd", "momentum", "adam"};
    return {kUses[integer(0, 2)], number(0.01, 0.5)};
  }
  Gradients gradients(int64_t towers) {
    Gradients made(static_cast<size_t>(integer(1, 5)));
    for (auto& step : made)
      for (int64_t i = 0; i < towers; ++i)
        step.push_back(static_cast<double>(static_cast<float>(number(-3, 3))));
    return made;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace broch::test
