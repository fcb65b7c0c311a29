// choose.hpp: yields each point from a randomly chosen dataflow. tensorpack:
// `RandomChooseData`.
//
// A round ends when a dataflow is chosen that has no more points, so that its size is not known
// before. The choices depend only on the seed and the round.
#pragma once
#include "choices.hpp"
#include "turns.hpp"

namespace broch::dataflows {

struct ChooseOptions {
  std::vector<ChildDataFlow> dataflows;
  std::optional<std::vector<double>> weights;
  std::optional<int64_t> seed;

  static constexpr auto schema = broch::options(
      broch::option("dataflows", &ChooseOptions::dataflows, "The dataflows.").min_items(1),
      broch::option("weights", &ChooseOptions::weights,
                    "The relative probability of each dataflow; null: all are equally probable.")
          .above(0),
      broch::option("seed", &ChooseOptions::seed,
                    "The seed of the choices; null: derived from the run's seed."));
};

class Choose final : public Turns {
 public:
  Choose(const Host& host, const ChooseOptions& options)
      : Turns(host, options.dataflows, "choose", options.weights),
        choices_(options.weights.value_or(std::vector<double>(children_.count(), 1)),
                 options.seed ? uint64_t(*options.seed) : Instance(host).seed()) {}

  void reset_state() override {
    children_.reset_state();
    choices_.set_sizes(children_.sizes());
  }
  std::optional<int64_t> size() override { return std::nullopt; }

 private:
  std::optional<Turn> turn_at(uint64_t round, uint64_t place) override {
    return choices_.turn(round, place);
  }
  std::optional<size_t> child_at(uint64_t round, uint64_t place) override {
    return choices_.child_at(round, place);
  }

  Choices choices_;
};

}  // namespace broch::dataflows
