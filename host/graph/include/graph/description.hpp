// description.hpp: a graph as JSON for other programs: see broch/ext/model_graph.h.
#pragma once
#include <string>

#include "graph/graph.hpp"

namespace broch::graph {

std::string description(const Graph& graph);

}  // namespace broch::graph
