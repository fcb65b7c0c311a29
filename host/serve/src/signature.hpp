// signature.hpp: what a graph wants and gives, in the words of the protocol.
#pragma once
#include "graph/graph.hpp"
#include "serve/infer.hpp"

namespace broch::serve {

// The input in place of those of the graph.
inline constexpr const char* kFiles = "file";
// Throws base::Error (data) if the protocol has no name for a dtype. place: of the bundle.
Signature signature_of(const graph::Graph& graph, const std::string& place, bool takes_files);

}  // namespace broch::serve
