// signature.hpp: what a graph wants and gives, in the words of the protocol.
#pragma once
#include <optional>

#include "graph/graph.hpp"
#include "serve/infer.hpp"

namespace broch::serve {

// Throws base::Error (data) if the protocol has no name for a dtype. place: of the bundle.
Signature signature_of(const graph::Graph& graph, const std::string& place);

// The symbol that is the first size of each input and each output and no other size of them, so
// that requests can be joined along it. Nothing: there is none.
std::optional<uint32_t> batch_symbol(const graph::Graph& graph);

}  // namespace broch::serve
