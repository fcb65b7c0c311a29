// moving_averages.hpp: bias-corrected exponential moving averages of what towers show.
//
// b += (1 - decay) (x - b), value = b / (1 - decay^t): tf.train.ExponentialMovingAverage with
// zero_debias. Kept in LOCAL variables EMA/{name}/biased and EMA/{name}/step, so that they go on
// after a resume.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "runtime/scalar_cell.hpp"
#include "tower/tower.hpp"

namespace broch::summary {

class MovingAverages {
 public:
  // Makes the variables of what a tower registered; before the store is sealed.
  void declare(runtime::VariableStore& store, const std::vector<tower::Moving>& moving,
               const std::string& made_by);
  // Takes the value of this run in.
  void update(runtime::Backend& backend, const tower::Moving& moving);
  // Values as they are now, of those that were updated at least once, in order of declaration.
  std::vector<std::pair<std::string, double>> values() const;
  std::vector<std::string> names() const;

 private:
  struct Average {
    std::string name;
    double decay;
    runtime::ScalarCell<double> biased;
    runtime::ScalarCell<int64_t> step;
  };
  Average* find(std::string_view name);
  std::vector<Average> averages_;
};

}  // namespace broch::summary
