// fit.hpp: graphs of several sizes as one with symbols.
#pragma once
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace broch::capture {

// Sizes by symbol, and the graph that was seen with them.
struct Sample {
  std::vector<int64_t> sizes;
  graph::Graph graph;
};

// The sizes at which samples are needed: each symbol has its first size or another one, in all
// combinations; the first are the sizes themselves.
std::vector<std::vector<int64_t>> sizes_of_samples(const std::vector<int64_t>& first);

// samples: at sizes_of_samples. Throws base::Error (Exit::training) where operators differ or a
// number is no sum of products; where: the tower, for messages.
graph::Graph fitted(const std::vector<std::string>& symbols, const std::vector<Sample>& samples,
                    const std::string& where);

// "" if the graph with these sizes is the sample's; else the first difference.
std::string difference(const graph::Graph& graph, const Sample& sample);

}  // namespace broch::capture
