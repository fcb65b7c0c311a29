// rows.cpp: follows the examples of a batch through a graph.
#include "graph/rows.hpp"

#include <algorithm>

#include "row_rules.hpp"

namespace broch::graph {
namespace {

bool is_batch_of(const Type& type, uint32_t symbol) {
  if (type.shape.empty()) return false;
  Number alone;
  alone.terms.push_back({1, {symbol}});
  return type.shape[0] == alone &&
         std::none_of(type.shape.begin() + 1, type.shape.end(),
                      [&](const Number& size) { return mentions(size, symbol); });
}

}  // namespace

std::optional<uint32_t> batch_symbol(const Graph& graph) {
  if (graph.inputs.empty()) return std::nullopt;
  const Type& first = graph.type_of_input(0);
  if (first.shape.empty() || first.shape[0].is_constant()) return std::nullopt;
  const uint32_t symbol = first.shape[0].terms[0].symbols[0];
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (!is_batch_of(graph.type_of_input(i), symbol)) return std::nullopt;
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    if (!is_batch_of(graph.type_of_output(i), symbol)) return std::nullopt;
  return symbol;
}

std::string dependence_of_rows(const Graph& graph, uint32_t symbol) {
  Rows rows(graph.types.size(), kNoRows);
  for (size_t i = 0; i < graph.inputs.size(); ++i) rows[i] = 0;
  for (const Node& node : graph.nodes) {
    const std::optional<int64_t> dim = rows_of(graph, node, rows, symbol);
    if (!dim) return operator_name(graph.operators[node.op]);
    for (const int result : node.results)
      if (result >= 0) rows[size_t(result)] = *dim;
  }
  for (const Output& output : graph.outputs)
    if (rows[size_t(output.value)] != 0) return "output " + output.name;
  return "";
}

}  // namespace broch::graph
