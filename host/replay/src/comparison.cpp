// comparison.cpp: differences that rounding can explain, and those that it cannot.
#include "comparison.hpp"

#include <algorithm>
#include <cmath>

#include "tower/kernel_tape.hpp"

namespace broch::replay {
namespace {

constexpr double kOneTolerance = 0.25;  // relative to the norm of a single gradient

// Whether one of the gradients is far off and not negligible. length: of all gradients.
bool is_one_wrong(const std::vector<Backend::Distance>& distances, double length,
                  double negligible) {
  return std::ranges::any_of(distances, [&](const Backend::Distance& one) {
    return one.apart > kOneTolerance * kOneTolerance * one.length &&
           one.apart > negligible * negligible * length;
  });
}

Backend::Distance sum_of(const std::vector<Backend::Distance>& distances) {
  Backend::Distance sum{};
  for (const Backend::Distance& one : distances) {
    sum.apart += one.apart;
    sum.length += one.length;
  }
  return sum;
}

// -1 if it means nothing.
double relative(const Backend::Distance& sum) {
  return std::isfinite(sum.apart) && sum.length > 0 ? std::sqrt(sum.apart / sum.length) : -1;
}

}  // namespace

Comparison::Comparison(Backend& backend, const RecordedStep& recorded, const CompiledStep& compiled,
                       std::vector<Tensor> expected, const Tolerances& tolerances)
    : backend_(&backend),
      recorded_(&recorded),
      compiled_(&compiled),
      expected_(std::move(expected)),
      tolerances_(&tolerances),
      first_gradient_(StepOutputs(recorded.shape).gradients) {}

Comparison Comparison::with(std::vector<Tensor> expected) const {
  return {*backend_, *recorded_, *compiled_, std::move(expected), *tolerances_};
}

bool Comparison::expects(const std::vector<Tensor>& values) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] && !backend_->difference(expected_[i], values[i], 0).empty()) return false;
  return true;
}

std::string Comparison::difference(double tolerance) const {
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Tensor& found = found_at(i);
    if (!found && !expected_[i]) continue;
    const std::string what = backend_->difference(expected_[i], found, tolerance);
    if (what.empty()) continue;
    if (tolerance > 0 && !is_gradient(i) && is_rounding_of(expected_[i], found)) continue;
    return output_name(recorded_->shape, compiled_->outputs[i]) + ": " + what;
  }
  return kernel_difference();
}

std::string Comparison::kernel_difference() { return KernelTape::current()->difference(); }

// At zero, rounding decides whether a rectifier lets a gradient through, so single elements may
// differ by percents although both steps are right.
double Comparison::gradient_distance() const {
  std::vector<Backend::Distance> distances;
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Tensor& found = found_at(i);
    if (!found || !expected_[i]) continue;
    if (is_gradient(i))
      distances.push_back(backend_->distance(expected_[i], found));
    else if (!is_near(expected_[i], found))
      return -1;
  }
  const Backend::Distance sum = sum_of(distances);
  return is_one_wrong(distances, sum.length, tolerances_->value) ? -1 : relative(sum);
}

double Comparison::gradient_distance_of(const std::vector<Tensor>& values) const {
  std::vector<Backend::Distance> distances;
  for (size_t i = 0; i < expected_.size(); ++i)
    if (is_gradient(i) && expected_[i] && values[i])
      distances.push_back(backend_->distance(expected_[i], values[i]));
  return std::max(relative(sum_of(distances)), 0.0);
}

bool Comparison::has_learnt() const {
  for (size_t i = 0; i < expected_.size(); ++i) {
    const Tensor& found = found_at(i);
    if (!found && !expected_[i]) continue;
    const bool is_right =
        is_gradient(i) ? is_rounding_of(expected_[i], found) : is_near(expected_[i], found);
    if (!is_right) return false;
  }
  return true;
}

// Whether two values differ by no more than the rounding error of larger ones.
bool Comparison::is_rounding_of(const Tensor& expected, const Tensor& found) const {
  if (!expected || !found) return false;
  const TensorInfo info = backend_->info(expected), other = backend_->info(found);
  if (!is_floating(info.dtype) || info.dtype != other.dtype || !(info.shape == other.shape))
    return false;
  const double rounding = tolerances_->rounding;
  return backend_->distance(expected, found).apart <=
         rounding * rounding * static_cast<double>(info.shape.elements());
}

bool Comparison::is_near(const Tensor& expected, const Tensor& found) const {
  return backend_->difference(expected, found, tolerances_->value).empty() ||
         is_rounding_of(expected, found);
}

bool Comparison::is_gradient(size_t place) const {
  return compiled_->outputs[place] >= first_gradient_;
}

}  // namespace broch::replay
