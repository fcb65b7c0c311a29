// capture.hpp: a tower as a graph, for inputs of any size: the tower function is called with
// several sizes, and numbers that change with them are expressed by them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "tower/tower.hpp"

namespace broch::capture {

struct Wish {
  // Published names. Inputs of the tower that they do not need are not in the graph.
  std::vector<std::string> outputs;
  // Sizes by symbol, which are the same in each call, such as "T" = 64. All others may be any. A
  // dimension without a name is called after its input: "image_2" is dimension 2 of image.
  std::map<std::string, int64_t> fixed;
  // Published names that are fed, which become inputs behind those of the tower. Sizes are constant
  // or have names, which those of the tower's inputs may have, too.
  std::vector<abi::InputSpec> fed{};
};

// Its own name, or one after its input.
std::string name_of_size(const abi::InputSpec& input, size_t dimension);

struct Captured {
  graph::Graph graph;
  std::vector<runtime::Tensor> weights;  // by Graph::weights; variables share memory
};

// The output that people mean as a rule: "output" or "logits", otherwise the last published name
// that needs the first input, but not all of several. "": there is none.
std::string usual_output(const tower::Tower& tower);

// REQUIRES: an inference tower that is defined. Throws base::Error (Exit::training) that says what
// cannot be part of a graph: code of plugins, values that are read, other operators for other
// sizes. [main]
Captured capture(tower::Tower& tower, const Wish& wish);

}  // namespace broch::capture
