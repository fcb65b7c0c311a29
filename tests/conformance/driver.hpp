// driver.hpp: trains one of the towers for a few steps and gives back what a probe saw.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli_harness/cli_harness.hpp"

namespace broch::conformance {

using Numbers = std::vector<double>;

// A tower on batches of 5 rows x in [-1, 1), one epoch of 6 steps, gradient descent at rate 0.25, a
// checkpoint before training and after each epoch. fetched: what the probe writes each step.
cli_harness::Json manifest(const std::string& tower, const std::vector<std::string>& fetched);

// The same for eight epochs of 17 steps, so that a tower is recorded, verified, replayed and
// audited at runs 2, 16 and 128; numbers go to stats.json, one checkpoint is made at the end.
constexpr size_t kLongSteps = 8 * 17;
constexpr double kSlowRate = 0.02;  // so that nothing has become zero by then
cli_harness::Json long_manifest(const std::string& tower, const std::vector<std::string>& fetched);

class Result {
 public:
  // Trains; the exit code must be 0.
  explicit Result(const cli_harness::Json& manifest);

  size_t steps(const std::string& name) const { return seen_.at(name).size(); }
  const Numbers& at(const std::string& name, size_t step) const { return seen_.at(name).at(step); }
  double number(const std::string& name, size_t step) const { return at(name, step).at(0); }
  const cli_harness::Training& training() const { return training_; }

 private:
  cli_harness::Folder folder_;
  cli_harness::Training training_;
  std::map<std::string, std::vector<Numbers>> seen_;  // by name and step
};

// Rows of x (in columns) times the transposed rows of w (in columns).
Numbers linear(const Numbers& x, const Numbers& w, size_t in);
double mean(const Numbers& x);
double mean_square(const Numbers& x);
// The derivative of cost at w by central differences.
template <class Cost>
Numbers slope(const Numbers& w, const Cost& cost) {
  constexpr double kStep = 1e-5;
  Numbers result, moved = w;
  for (size_t i = 0; i < w.size(); ++i) {
    moved[i] = w[i] + kStep;
    const double above = cost(moved);
    moved[i] = w[i] - kStep;
    result.push_back((above - cost(moved)) / (2 * kStep));
    moved[i] = w[i];
  }
  return result;
}

constexpr double kRate = 0.25;
// Largest difference between after and before - kRate * slope.
double descent_error(const Numbers& before, const Numbers& after, const Numbers& slope);

}  // namespace broch::conformance
