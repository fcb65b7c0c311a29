// recording_key.hpp: what decides which operators a tower calls.
#pragma once
#include <string>
#include <vector>

#include "runtime/backend.hpp"
#include "tower/names.hpp"
#include "tower/tower_runner.hpp"

namespace broch::tower {

class RecordingKey {
 public:
  RecordingKey() = default;
  RecordingKey(Backend& backend, const StepRequest& request);
  bool fits(Backend& backend, const StepRequest& request) const;
  const std::vector<const GradientRequest*>& gradients() const { return gradients_; }
  size_t bytes() const;   // of all inputs
  uint64_t hash() const;  // the same in each run of the program

 private:
  struct Input {
    broch_dtype dtype;
    Shape shape;
  };
  std::vector<Input> inputs_;  // those of the tower, then what is fed
  std::vector<std::string> feeds_;
  std::vector<const GradientRequest*> gradients_;
};

// Of all values given to a run: a program is compared on data that differ from those recorded.
uint64_t hash_of(Backend& backend, const RunInputs& inputs);

}  // namespace broch::tower
