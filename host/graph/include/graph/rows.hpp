// rows.hpp: the examples of a batch: which size counts them, and whether they are computed
// independently of each other.
#pragma once
#include <optional>
#include <string>

#include "graph/graph.hpp"

namespace broch::graph {

// The symbol that is the first size of each input and each output and no other size of them, so
// that batches can be joined and cut along it. Nothing: there is none.
std::optional<uint32_t> batch_symbol(const Graph& graph);

// Why example i of an output may depend on other examples than i, or on the size of the batch: the
// operator that makes it so, or that is not known. "" if the examples are independent.
// symbol: batch_symbol(graph).
std::string dependence_of_rows(const Graph& graph, uint32_t symbol);

}  // namespace broch::graph
