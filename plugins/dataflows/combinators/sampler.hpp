// sampler.hpp: draws points of an indexed dataflow at random, with replacement.
//
// Point `index` of a round depends only on seed, round and index. The index is mixed into the key,
// since a point of the dataflow can be drawn several times in a round.
#pragma once
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <vector>

#include "early_end.hpp"
#include "scan.hpp"

namespace broch::dataflows {

class Sampler : public Indexed {
 public:
  // points: the size of a round; no value: as many as child has. name: of the component.
  Sampler(const Host& host, const ChildDataFlow& child, std::optional<int64_t> size,
          std::optional<int64_t> seed, const std::string& name)
      : host_(host),
        child_(child),
        size_(size),
        seed_(seed ? uint64_t(*seed) : Instance(host).seed()) {
    if (!child_.indexed())
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/dataflow: found a stream, expected an indexed dataflow, such as arrays: " +
                      name + " draws points in any order");
  }

  void reset_state() override {
    child_.reset_state();
    require_end(child_, "/dataflow");
    const std::vector<double> weights = this->weights();
    double sum = 0;
    sums_.clear();
    for (size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
        throw Error(BROCH_E_INVALID_ARGUMENT, "found weight " + std::to_string(weights[i]) +
                                                  " of point " + std::to_string(i) +
                                                  ", expected a number of at least 0");
      sums_.push_back(sum += weights[i]);
    }
    const int64_t size = child_.size().value_or(0);
    if (uint64_t(size) != weights.size())
      throw Error(BROCH_E_INVALID_ARGUMENT, "found " + std::to_string(weights.size()) +
                                                " weights, expected " + std::to_string(size) +
                                                ": one for each point of the dataflow");
    if (!std::isfinite(sum))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "found weights whose sum is too large for a number, expected a finite sum: only "
                  "ratios count, so divide them all");
    if (!(sum > 0))
      throw Error(BROCH_E_INVALID_ARGUMENT, "all weights are 0, expected one above 0");
  }
  std::optional<int64_t> size() override { return size_ ? size_ : child_.size(); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (position.index >= uint64_t(size_.value_or(int64_t(sums_.size())))) return false;
    Draws draws(mixed(mixed(seed_, position.round), position.index));
    const double at = draws.uniform() * sums_.back();
    // The first sum above `at`: never a point of weight 0, except by rounding at the very end.
    auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    if (found == sums_.end()) found = std::lower_bound(sums_.begin(), sums_.end(), sums_.back());
    const auto index = uint64_t(found - sums_.begin());
    if (!child_.read({position.round, index}, cancel, point)) refuse_early_end(index, sums_.size());
    point.mix_key(position.index);
    return true;
  }

 protected:
  // How often to draw each point of the child; only the ratios count.
  virtual std::vector<double> weights() = 0;
  const Host& host() const { return host_; }
  const ChildDataFlow& child() const { return child_; }

 private:
  Host host_;
  ChildDataFlow child_;
  std::optional<int64_t> size_;
  uint64_t seed_;
  std::vector<double> sums_;  // of the weights up to this one; since reset_state
};

}  // namespace broch::dataflows
