// step_place.hpp: where a step is, in words for messages.
#pragma once
#include <string>

#include "abi/inquiry.hpp"
#include "broch/ext/progress.h"
#include "plan/executor.hpp"
#include "train/names.hpp"

namespace broch::train {

class StepPlace {
 public:
  // input: nullptr: there is none. REQUIRES: all outlive this object.
  StepPlace(const broch_progress& progress, const Executor& executor, const Input* input)
      : progress_(progress), executor_(executor), input_(input) {}

  // The number of the step and the data that it used: "\n  in step 3 of 100 of epoch 2\n  tower 0
  // had …".
  std::string which() const;
  // What it does, where [main] is at this place: "waits for a data point of …". [any]
  std::string doing(const abi::Place& main) const;

 private:
  const broch_progress& progress_;
  const Executor& executor_;
  const Input* input_;
};

}  // namespace broch::train
