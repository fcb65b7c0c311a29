// cost_averages.hpp: moving averages of the costs that plans differentiate on the main tower, so
// that they are recorded whether or not the model shows them.
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

  // Its place for update; each name once.
  size_t add(std::string_view name);
  void update(size_t place, double value) {
    State& state = averages_[place].state;
    state.biased += (1 - kDecay) * (value - state.biased);
    ++state.runs;
  }
  // Those that were updated at least once, in the order of add.
  std::vector<std::pair<std::string, double>> values() const;

  std::map<std::string, State> states() const;
  // Those of names that were added.
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
