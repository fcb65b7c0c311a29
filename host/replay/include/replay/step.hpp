// step.hpp: what a step of a tower is asked for, and its result.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replay/names.hpp"
#include "tower/tower.hpp"

namespace broch::replay {

// Is told in the middle of a step that some gradients are complete.
class GradientSink {
 public:
  virtual ~GradientSink() = default;
  // All gradients of this part have been written to their buffers. Called on the tower's thread.
  // Eager steps do not call it.
  virtual void ready(uint32_t part) = 0;
};

// The derivatives of one cost of a tower.
struct GradientRequest {
  std::string name;                 // for messages
  std::optional<std::string> cost;  // published name; none: the tower function's cost
  std::vector<Variable*> variables;
  std::vector<size_t> leaves;   // their indices in TowerResult::leaves, if unchanged
  std::vector<Tensor> buffers;  // memory to write them to, if any; see CompileOptions
  std::vector<bool> rows;       // whether they may be sparse, as rows, if any; see CompileOptions
  GradientSink* sink = nullptr;
  std::vector<uint32_t> parts;  // by gradient, if there is a sink
  bool keep_graph = false;      // another request of the same step uses the graph, too
  mutable bool warned = false;
};

// What will be read of a step's result.
struct Wanted {
  std::vector<uint32_t> published;  // indices, ascending
  bool summaries = false, moving = false;
  bool hooked = false, evaluation = false;  // decide which updates belong to the step
  bool operator==(const Wanted&) const = default;
  void publish(uint32_t index);  // adds the index unless it is there
};

struct StepRequest {
  RunInputs inputs;
  std::vector<const GradientRequest*> gradients;
  Wanted wanted;

  void clear();  // keeps the allocated memory
};

struct StepResult {
  TowerResult tower;                           // what is not wanted may be undefined
  std::vector<std::vector<Tensor>> gradients;  // by request; never undefined
};

// Fixed memory outside of the runner. Undefined or missing entries: anywhere. See CompileOptions.
struct RunnerBuffers {
  std::vector<Tensor> inputs;     // by position: where a program finds the inputs
  std::vector<Tensor> published;  // by index: where to write the published tensors
};

// Whether an update belongs to a step.
using KeepsUpdate = std::function<bool(const TowerResult&, const Update&)>;

}  // namespace broch::replay
