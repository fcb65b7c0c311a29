// recording.hpp: what a runner stores for each recording.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "recording_key.hpp"
#include "tower/names.hpp"
#include "tower/tower_runner.hpp"
#include "trials.hpp"

namespace broch::tower {

// The program, compiled for a certain set of outputs that are read.
struct TowerRunner::Compiled {
  Wanted wanted;
  std::vector<uint32_t> outputs;
  std::unique_ptr<Executable> executable;
  Trial* trial = nullptr;
  bool verified = false;  // results of this executable are no longer compared
  StepResult result;
  // Values that lie in a variable's memory are copied after each step: number of the output, and
  // where to store the copy.
  std::vector<std::pair<size_t, Tensor*>> in_variables;
  std::vector<std::pair<GradientSink*, uint32_t>> notified;  // by part of CompileOptions
};

struct TowerRunner::Recorded {
  explicit Recorded(RecordingKey of) : key(std::move(of)), hash(key.hash()) {}
  RecordingKey key;
  uint64_t hash;  // of the key
  std::unique_ptr<RecordedProgram> program;
  StepResult shape;        // of the result: names, lists and tags without tensors
  uint64_t data = 0;       // hash of the inputs that were recorded
  size_t input_bytes = 0;  // that each executable keeps for itself
  double milliseconds = 0;
  bool reported = false;
  uint64_t runs = 0;
  std::vector<std::unique_ptr<Compiled>> compiled;
};

}  // namespace broch::tower
