// recording.hpp: what a frame keeps of one recording.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "recording_key.hpp"
#include "runtime/frame.hpp"

namespace broch::runtime {

// The program as it runs where certain outputs are read.
struct Frame::Compiled {
  Wanted wanted;
  std::vector<uint32_t> outputs;
  std::unique_ptr<Executable> executable;
  uint64_t made_in = 0;  // run of the frame
  bool near = false;     // at one data point it gave what the eager step gives, or next to it
  bool verified = false;
  int tries = 0;
  StepResult result;
  // Values that are a variable's own memory are copied after each run: what came out, and where the
  // copy goes.
  std::vector<std::pair<size_t, Tensor*>> in_variables;
  std::vector<std::pair<GradientSink*, uint32_t>> told;  // by part of CompileOptions
};

struct Frame::Recorded {
  RecordingKey key;
  std::unique_ptr<RecordedProgram> program;
  StepResult shape;   // of a result: names, lists, tags; without tensors
  uint64_t data = 0;  // hash of the inputs it was recorded on
  size_t input_bytes = 0;  // that each executable has for itself
  double milliseconds = 0;
  bool told = false;
  uint64_t last_run = 0, runs = 0;
  std::vector<std::unique_ptr<Compiled>> compiled;
};

}  // namespace broch::runtime
