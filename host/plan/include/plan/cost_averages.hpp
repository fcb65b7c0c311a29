// cost_averages.hpp: moving averages of the costs that plans differentiate on the main tower. So
// the cost of a run is recorded even if the model adds no summary for it.
//
// The arithmetic is that of moving_averages.hpp with its usual decay, 0.95.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace broch::plan {

class CostAverages {
 public:
  struct State {
    double biased = 0;
    int64_t runs = 0;
  };

  // Returns the number to pass to update; the same for the same name.
  size_t add(std::string_view name);
  void update(size_t index, double value) {
    State& state = averages_[index].state;
    state.biased += (1 - kDecay) * (value - state.biased);
    ++state.runs;
  }
  // The averages that were updated at least once, in the order of add.
  std::vector<std::pair<std::string, double>> values() const;

  std::map<std::string, State> states() const;
  // Restores the averages whose names were added; others are ignored.
  void restore(const std::map<std::string, State>& states);

 private:
  static constexpr double kDecay = 0.95;
  struct Average {
    std::string name;
    State state;
  };
  std::vector<Average> averages_;
};

}  // namespace broch::plan
