// recording.hpp: what a runner keeps of one recording.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "recording_key.hpp"
#include "tower/names.hpp"
#include "tower/tower_runner.hpp"
#include "trials.hpp"

namespace broch::tower {

// The program as it runs where certain outputs are read.
struct TowerRunner::Compiled {
  Wanted wanted;
  std::vector<uint32_t> outputs;
  std::unique_ptr<Executable> executable;
  Trial* trial = nullptr;
  bool verified = false;  // this compilation: its results are not compared any more
  StepResult result;
  // Values that are a variable's own memory are copied after each run: what came out, and where the
  // copy goes.
  std::vector<std::pair<size_t, Tensor*>> in_variables;
  std::vector<std::pair<GradientSink*, uint32_t>> notified;  // by part of CompileOptions
};

struct TowerRunner::Recorded {
  explicit Recorded(RecordingKey of) : key(std::move(of)), hash(key.hash()) {}
  RecordingKey key;
  uint64_t hash;  // of the key
  std::unique_ptr<RecordedProgram> program;
  StepResult shape;        // of a result: names, lists, tags; without tensors
  uint64_t data = 0;       // hash of the inputs it was recorded on
  size_t input_bytes = 0;  // that each executable has for itself
  double milliseconds = 0;
  bool reported = false;
  uint64_t runs = 0;
  std::vector<std::unique_ptr<Compiled>> compiled;
};

}  // namespace broch::tower
