// moving_averages.hpp: bias-corrected exponential moving averages of values that towers report.
//
// b += (1 - decay) (x - b), value = b / (1 - decay^t), as tf.train.ExponentialMovingAverage with
// zero_debias. They are stored in LOCAL variables EMA/{name}/biased and EMA/{name}/step, so that
// they continue after a resume.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/scalar_cell.hpp"
#include "tower/tower.hpp"

namespace broch::summary {

class MovingAverages {
 public:
  // Creates the variables for what a tower registered. REQUIRES: the store is not sealed yet.
  void declare(runtime::VariableStore& store, const std::vector<tower::Moving>& moving,
               const std::string& made_by);
  // From now on, update works on the averages of this collection.
  void run(const std::string& collection);
  bool any_runs() const { return any_runs_; }
  // Includes the value of this step in the average, if its collection is run.
  void update(runtime::Backend& backend, const tower::Moving& moving);
  // Current values of the averages that were updated at least once, in order of declaration.
  std::vector<std::pair<std::string, double>> values() const;
  std::vector<std::string> names() const;

 private:
  struct Average {
    std::string name, collection;
    double decay;
    bool runs;
    runtime::ScalarCell<double> biased;
    runtime::ScalarCell<int64_t> step;
  };
  Average* find(std::string_view name);
  void note_runs();
  std::vector<Average> averages_;
  std::set<std::string, std::less<>> run_;  // collections
  bool any_runs_ = false;
};

}  // namespace broch::summary
