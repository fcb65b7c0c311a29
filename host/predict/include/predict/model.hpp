// model.hpp: a trained model as a function from inputs to outputs, whatever it comes from.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/roles.hpp"
#include "runtime/backend.hpp"
#include "session/run.hpp"

namespace broch::bundle {
class Bundle;
}
namespace broch::graph {
struct Graph;
}

namespace broch::predict {

// Inputs that follow one another.
class Sequence {
 public:
  virtual ~Sequence() = default;
  // As Model::call for the first tower, for inputs behind those of earlier calls.
  virtual std::vector<runtime::Tensor> call(std::span<const runtime::Tensor> inputs) = 0;
  // Whether a call takes one place along dimension 1 of the inputs, and no more.
  virtual bool one_by_one() const { return false; }
};

// What a model takes and gives.
struct Ports {
  std::vector<abi::InputSpec> inputs;  // those that the outputs need
  std::vector<std::string> order;      // of all inputs, in a data point without names
  std::vector<std::string> outputs;
};

class Model {
 public:
  virtual ~Model() = default;

  const Ports& ports() const { return ports_; }
  const std::vector<abi::InputSpec>& inputs() const { return ports_.inputs; }
  const std::vector<std::string>& outputs() const { return ports_.outputs; }
  // Copies of the model, which compute side by side.
  virtual size_t towers() const { return 1; }
  // inputs: by inputs(), on the CPU. Returns the outputs, in memory of their own. [any], but one
  // call of a tower at a time. Throws base::Error.
  virtual std::vector<runtime::Tensor> call(size_t tower,
                                            std::span<const runtime::Tensor> inputs) = 0;
  // For inputs with any number of places along dimension 1. nullptr if the model does not publish
  // what it keeps of the inputs that it has seen: as state/NAME before them, and as next/NAME
  // behind them.
  virtual std::unique_ptr<Sequence> sequence() { return nullptr; }
  virtual runtime::Backend& backend() = 0;

 protected:
  Ports ports_;
};

struct Names {
  std::vector<std::string> inputs;   // empty: those that the outputs need
  std::vector<std::string> outputs;  // published names; empty: the usual one
};

// A run that is built, with the GLOBAL variables of a checkpoint: its inference towers. Borrows
// both. Throws base::Error.
std::unique_ptr<Model> model_of_run(const session::Setup& setup, session::Run& run,
                                    const std::string& checkpoint, const Names& names);
// order: all inputs of the model that was exported, in its order; empty: those of the graph.
Ports ports_of(const graph::Graph& graph, const std::vector<std::string>& order);
// order: as above. Throws base::Error if the bundle has no such inputs or outputs.
std::unique_ptr<Model> model_of_bundle(const bundle::Bundle& bundle, const Names& names,
                                       const std::vector<std::string>& order);

}  // namespace broch::predict
