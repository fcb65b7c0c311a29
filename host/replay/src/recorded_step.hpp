// recorded_step.hpp: what is stored for each recording.
#pragma once
#include <memory>
#include <vector>

#include "compiled_step.hpp"
#include "recording_key.hpp"
#include "replay/names.hpp"
#include "replay/step.hpp"

namespace broch::replay {

struct RecordedStep {
  explicit RecordedStep(RecordingKey of) : key(std::move(of)), hash(key.hash()) {}
  RecordingKey key;
  uint64_t hash;  // of the key
  std::unique_ptr<RecordedProgram> program;
  StepResult shape;        // of the result: names, lists and tags without tensors
  uint64_t data = 0;       // hash of the inputs that were recorded
  size_t input_bytes = 0;  // that each executable keeps for itself
  double milliseconds = 0;
  bool reported = false;
  uint64_t runs = 0;
  std::vector<std::unique_ptr<CompiledStep>> compiled;  // the one used last is at the end
};

}  // namespace broch::replay
