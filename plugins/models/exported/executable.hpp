// executable.hpp: a program in the form in which a tower function runs it: each node is an operator
// of the host, or arithmetic on sizes.
#pragma once
#include <broch/broch.hpp>
#include <memory>
#include <set>

#include "models/exported/operators.hpp"
#include "models/exported/program.hpp"

namespace exported {

// What a node does. Steps refer to the nodes of the program.
struct Step;
struct Steps {
  const Graph* graph = nullptr;
  std::vector<Step> list;
};

class Executable {
 public:
  // Borrows the program. Throws broch::Error that lists all nodes that cannot be computed.
  Executable(const broch::Host& host, const Program& program, const std::string& place);
  ~Executable();

  // Whether the program writes to the memory of this input, so that it has to be a copy. Batch norm
  // writes to its statistics in training only.
  bool writes_to(size_t input, bool is_training) const {
    return written_.count(int(input)) > 0 ||
           (is_training && written_in_training_.count(int(input)) > 0);
  }

  // The values of the program's outputs, in the order of Program::outputs; inputs are in the order
  // of Program::inputs, 0 for those that are no tensor. Any number of threads at once.
  std::vector<broch_value> run(broch::Tower& tower, const std::vector<broch_tensor>& inputs) const;

 private:
  friend class Runner;

  HostOperators operators_;
  const Program& program_;
  std::unique_ptr<Steps> steps_;
  std::set<int> written_, written_in_training_;
};

}  // namespace exported
