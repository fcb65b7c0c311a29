// row_rules.hpp: for each operator, which dimension of its results has the examples of a batch.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace broch::graph {

// By value: the dimension along which the examples lie, each with as many places as the others;
// kNoRows: the value does not depend on the inputs.
using Rows = std::vector<int64_t>;
constexpr int64_t kNoRows = -1;

bool mentions(const Number& size, uint32_t symbol);
// Whether a size counts the examples, or equal parts of them: "B", "12 * B", "B * T".
bool counts_rows(const Number& size, uint32_t symbol);

// The dimension of the examples in the results of a node; kNoRows: they do not depend on inputs.
// Nothing: an example may depend on others, or the operator is not known. rows: of all values
// before.
std::optional<int64_t> rows_of(const Graph& graph, const Node& node, const Rows& rows,
                               uint32_t symbol);

}  // namespace broch::graph
