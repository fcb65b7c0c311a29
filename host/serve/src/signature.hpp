// signature.hpp: what a graph wants and gives, in the words of the protocol.
#pragma once
#include "graph/graph.hpp"
#include "serve/infer.hpp"

namespace broch::serve {

// Throws base::Error (data) if the protocol has no name for a dtype. place: of the bundle.
Signature signature_of(const graph::Graph& graph, const std::string& place);

}  // namespace broch::serve
