// signature.cpp: inputs and outputs of a graph, and whether requests can be joined.
#include "signature.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "datatype.hpp"

namespace broch::serve {
namespace {

Port port(const std::string& name, const graph::Type& type, const std::string& place) {
  if (datatype_name(type.dtype).empty())
    base::fail(base::Exit::data, place + ": " + base::quoted(name), runtime::dtype_name(type.dtype),
               "one of " + datatype_names(), "export the model with outputs of these types");
  Port port{name, type.dtype, {}};
  for (const graph::Number& size : type.shape)
    port.shape.push_back(size.is_constant() ? size.value({}) : -1);
  return port;
}

bool mentions(const graph::Number& number, uint32_t symbol) {
  return std::ranges::any_of(number.terms, [&](const graph::Number::Term& term) {
    return std::ranges::find(term.symbols, symbol) != term.symbols.end();
  });
}

bool is_batch_of(const graph::Type& type, uint32_t symbol) {
  if (type.shape.empty()) return false;
  graph::Number alone;
  alone.terms.push_back({1, {symbol}});
  return type.shape[0] == alone &&
         std::none_of(type.shape.begin() + 1, type.shape.end(),
                      [&](const graph::Number& size) { return mentions(size, symbol); });
}

}  // namespace

Signature signature_of(const graph::Graph& graph, const std::string& place) {
  Signature signature;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    signature.inputs.push_back(port(graph.inputs[i], graph.type_of_input(i), place));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    signature.outputs.push_back(port(graph.outputs[i].name, graph.type_of_output(i), place));
  return signature;
}

std::optional<uint32_t> batch_symbol(const graph::Graph& graph) {
  if (graph.inputs.empty()) return std::nullopt;
  const graph::Type& first = graph.type_of_input(0);
  if (first.shape.empty() || first.shape[0].is_constant()) return std::nullopt;
  const uint32_t symbol = first.shape[0].terms[0].symbols[0];
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (!is_batch_of(graph.type_of_input(i), symbol)) return std::nullopt;
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    if (!is_batch_of(graph.type_of_output(i), symbol)) return std::nullopt;
  return symbol;
}

}  // namespace broch::serve
