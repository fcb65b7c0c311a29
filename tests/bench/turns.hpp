// turns.hpp: the protocol of a contender, see README.md: blocks of steps on demand, timed.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>

namespace broch::bench {

class Turns {
 public:
  // Says that everything is set up and waits for the first command. False: the run is over.
  bool ready() {
    std::cout << "ready" << std::endl;
    return wait();
  }

  // The step that runs now, or runs next, is the last one before somebody may ask for the cost.
  bool is_last() const { return left_ == 1; }
  void set_cost(double cost) { cost_ = cost; }
  // For the benchmarks of data: takes one more batch, and says its dtype, shape and mean.
  void set_describe(std::function<std::string()> describe) { describe_ = std::move(describe); }

  // After each step. False: the run is over.
  bool step_done() {
    if (--left_ > 0) return true;
    const std::chrono::duration<double> seconds = Clock::now() - begin_;
    std::cout << "done " << asked_ << " " << seconds.count() << std::endl;
    return wait();
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Until it is told to train.
  bool wait() {
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "quit") return false;
      if (word == "loss") std::cout << "loss " << std::setprecision(9) << cost_ << std::endl;
      if (word == "batch" && describe_) std::cout << "batch " << describe_() << std::endl;
      if (word != "go") continue;
      words >> asked_;
      left_ = asked_;
      begin_ = Clock::now();
      return true;
    }
    return false;
  }

  int64_t asked_ = 0, left_ = 0;
  double cost_ = 0;
  std::function<std::string()> describe_;
  Clock::time_point begin_;
};

}  // namespace broch::bench
