// policy.hpp: RandAugment and TrivialAugment.
#pragma once
#include "images/components/with.hpp"
#include "images/policy.hpp"

namespace images {

struct PolicyOptions : MotionOptions {
  int num_magnitude_bins;
  Interpolation interp;
  double fill;
  static constexpr auto schema = broch::options(
      MotionOptions::schema,
      broch::option("num_magnitude_bins", &PolicyOptions::num_magnitude_bins,
                    "The number of magnitudes.")
          .minimum(2)
          .by_default(31),
      interp_option(&PolicyOptions::interp, "nearest"),
      broch::option("fill", &PolicyOptions::fill, "The value beyond the edge.").by_default(0));
};

template <class Options>
class Policy : public With<Options> {
 public:
  using With<Options>::With;

 protected:
  // Applies a random operation.
  void apply_one(Sample& sample, std::optional<int> magnitude, bool wide,
                 broch::Draws& draws) const {
    const Options& options = this->options_;
    const auto operation = PolicyOperation(draws.below(kPolicyOperations));
    const int bins = options.num_magnitude_bins;
    const int bin = magnitude ? *magnitude : int(draws.below(uint64_t(bins)));
    const bool negative = has_sign(operation) && draws.chance(0.5);
    const double strength = strength_of(operation, bin, bins, sample.size(), wide, negative);
    if (operation == PolicyOperation::identity) return;
    if (const auto matrix = motion_of(operation, strength, sample.size()))
      return warp(sample, *matrix, options.interp, {Border::constant, options.fill});
    this->change(sample, [&](const cv::Mat& from, cv::Mat& to) {
      change_values(operation, strength, from, to);
    });
  }
};

struct RandAugmentOptions : PolicyOptions {
  int num_ops, magnitude;
  static constexpr auto schema = broch::options(
      PolicyOptions::schema,
      broch::option("num_ops", &RandAugmentOptions::num_ops, "Number of operations per image.")
          .minimum(0)
          .maximum(100)
          .by_default(2),
      broch::option("magnitude", &RandAugmentOptions::magnitude,
                    "The strength of the operations, from 0 to num_magnitude_bins - 1.")
          .minimum(0)
          .by_default(9));
};

class RandAugment final : public Policy<RandAugmentOptions> {
 public:
  RandAugment(const broch::Host& host, const RandAugmentOptions& options) : Policy(host, options) {
    if (options.magnitude >= options.num_magnitude_bins)
      refuse("/magnitude", std::to_string(options.magnitude),
             "less than num_magnitude_bins, " + std::to_string(options.num_magnitude_bins),
             "correct one of them", BROCH_E_INVALID_ARGUMENT);
  }
  void augment(Sample& sample, broch::Draws& draws) const override {
    if (options_.num_ops > 1) sample.hold();
    for (int i = 0; i < options_.num_ops; ++i) apply_one(sample, options_.magnitude, false, draws);
  }
};

class TrivialAugment final : public Policy<PolicyOptions> {
 public:
  using Policy::Policy;
  void augment(Sample& sample, broch::Draws& draws) const override {
    apply_one(sample, std::nullopt, true, draws);
  }
};

}  // namespace images
