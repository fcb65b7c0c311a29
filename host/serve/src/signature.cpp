// signature.cpp: inputs and outputs of a graph in the words of the protocol.
#include "signature.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "datatype.hpp"

namespace broch::serve {
namespace {

Port port(const std::string& name, const graph::Type& type, const std::string& place) {
  if (datatype_name(type.dtype).empty())
    base::fail(base::Exit::data, place + ": " + base::quoted(name), runtime::dtype_name(type.dtype),
               "one of " + datatype_names(), "export the model with outputs of these types");
  return {name, type.dtype, graph::known_sizes(type)};
}

}  // namespace

Signature signature_of(const graph::Graph& graph, const std::string& place, bool takes_files) {
  Signature signature;
  if (takes_files) signature.inputs.push_back({kFiles, kBytes, {-1}});
  for (size_t i = 0; i < graph.inputs.size() && !takes_files; ++i)
    signature.inputs.push_back(port(graph.inputs[i], graph.type_of_input(i), place));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    signature.outputs.push_back(port(graph.outputs[i].name, graph.type_of_output(i), place));
  return signature;
}

}  // namespace broch::serve
