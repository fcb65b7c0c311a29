// recording_key.hpp: what decides which operators a tower calls. Strides of inputs do not: they are
// copied into the layout in which they were recorded.
#pragma once
#include <string>
#include <vector>

#include "replay/names.hpp"
#include "replay/step.hpp"
#include "runtime/backend.hpp"

namespace broch::replay {

class RecordingKey {
 public:
  RecordingKey() = default;
  RecordingKey(Backend& backend, const StepRequest& request);
  bool fits(Backend& backend, const StepRequest& request) const;
  const std::vector<const GradientRequest*>& gradients() const { return gradients_; }
  size_t bytes() const;   // of all inputs
  uint64_t hash() const;  // does not change between processes

 private:
  struct Input {
    broch_dtype dtype;
    Shape shape;
  };
  std::vector<Input> inputs_;  // inputs of the tower, then feeds
  std::vector<std::string> feeds_;
  std::vector<const GradientRequest*> gradients_;
};

// A hash of all values given to a step. Programs must be compared on data other than the recorded
// ones.
uint64_t hash_of(Backend& backend, const RunInputs& inputs);

}  // namespace broch::replay
