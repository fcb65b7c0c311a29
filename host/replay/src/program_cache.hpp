// program_cache.hpp: the recordings of a tower by the shapes of inputs, and for each its compiled
// programs by what is wanted of the step. The least recently used ones are forgotten.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "recorded_step.hpp"
#include "replay/names.hpp"
#include "replay/step.hpp"
#include "runtime/workspace.hpp"
#include "shape_history.hpp"
#include "trials.hpp"

namespace broch::replay {

class ProgramCache {
 public:
  ProgramCache(const Tower& tower, RunnerBuffers buffers)
      : tower_(tower), buffers_(std::move(buffers)) {}

  // Returns the recording for such inputs, which is then the last one and counts this step, or
  // nullptr.
  RecordedStep* use(const StepRequest& request);
  // To be called if there is none: whether to record the step, whose inputs have this key.
  bool takes_new_shape(uint64_t key);
  RecordedStep& add(std::unique_ptr<RecordedStep> recorded);
  // The program of the last recording for what is wanted, which is compiled now if there is none.
  // Throws base::Error if that is impossible.
  CompiledStep& compiled_for(const Wanted& wanted, const KeepsUpdate& keeps);
  void clear();

  // What the last step used; nullptr while there is none.
  RecordedStep* last() const { return last_; }
  CompiledStep* last_compiled() const { return last_compiled_; }
  // Whether the last recording is for such inputs.
  bool last_fits(const StepRequest& request) const;
  bool empty() const { return recordings_.empty(); }
  Workspace& workspace() { return workspace_; }

  // The shapes seen so far and the trials of all programs, for checkpoints; "" before the first
  // step. What take_over cannot read is skipped.
  std::string history() const;
  void take_over(const std::string& history);

 private:
  RecordedStep* find(const StepRequest& request);
  void compile(const Wanted& wanted, const KeepsUpdate& keeps);
  void forget_least_used();

  const Tower& tower_;
  RunnerBuffers buffers_;
  Workspace workspace_;  // shared by all executables
  std::vector<std::unique_ptr<RecordedStep>> recordings_;
  RecordedStep* last_ = nullptr;
  CompiledStep* last_compiled_ = nullptr;  // of the last recording
  ShapeHistory shapes_;
  Trials trials_;
};

}  // namespace broch::replay
