// mix.hpp: alternates between the points of several dataflows. tensorpack: `RandomMixData`.
//
// Without weights, a round has all points of all dataflows. With weights, the dataflows have these
// shares, and a round ends with the first dataflow that has no more points. The order depends only
// on the seed and the round (interleaving.hpp); each dataflow keeps its own order.
#pragma once
#include "early_end.hpp"
#include "interleaving.hpp"
#include "turns.hpp"

namespace broch::dataflows {

struct MixOptions {
  std::vector<ChildDataFlow> dataflows;
  std::optional<std::vector<double>> weights;
  std::optional<int64_t> seed;

  static constexpr auto schema = broch::options(
      broch::option("dataflows", &MixOptions::dataflows, "The dataflows.").min_items(1),
      broch::option("weights", &MixOptions::weights,
                    "The relative share of each dataflow; null: the sizes of the dataflows, so "
                    "that all end together.")
          .above(0),
      broch::option("seed", &MixOptions::seed,
                    "The seed of the order; null: derived from the run's seed."));
};

class Mix final : public Turns {
 public:
  Mix(const Host& host, const MixOptions& options)
      : Turns(host, options.dataflows, "mix", options.weights),
        weights_(options.weights),
        seed_(options.seed ? uint64_t(*options.seed) : Instance(host).seed()) {}

  void reset_state() override {
    children_.reset_state();
    arrange();
  }
  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    if (Turns::read(position, cancel, point)) return true;
    if (position.index < length_) child_has_ended(position.round, position.index);
    return false;
  }
  std::optional<int64_t> size() override {
    if (!arranged_) arrange();
    return length_ == Interleaving::kEndless ? std::nullopt
                                             : std::optional<int64_t>(int64_t(length_));
  }

 private:
  std::optional<Turn> turn_at(uint64_t round, uint64_t place) override {
    if (place >= length_) return std::nullopt;
    return order_.turn(round, place, length_);
  }
  // With a dataflow of unknown size, the round may end anywhere.
  void child_has_ended(uint64_t round, uint64_t place) override {
    const Turn turn = order_.turn(round, place, length_);
    const std::optional<int64_t> size = sizes_[turn.child];
    if (size) refuse_early_end(turn.index, uint64_t(*size));
  }

  void arrange() {
    sizes_ = children_.sizes();
    order_ = Interleaving(weights_ ? whole_weights(*weights_) : weights_of(sizes_), seed_);
    length_ = order_.length(sizes_);
    arranged_ = true;
  }
  static std::vector<uint64_t> weights_of(const std::vector<std::optional<int64_t>>& sizes) {
    std::vector<uint64_t> weights;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!sizes[i])
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "/dataflows/" + std::to_string(i) +
                        ": found a dataflow of unknown or endless size, expected one with a size, "
                        "since there are no weights: give weights");
      weights.push_back(uint64_t(*sizes[i]));
    }
    return weights;
  }

  std::optional<std::vector<double>> weights_;
  uint64_t seed_;
  std::vector<std::optional<int64_t>> sizes_;
  Interleaving order_;
  uint64_t length_ = 0;
  bool arranged_ = false;
};

}  // namespace broch::dataflows
