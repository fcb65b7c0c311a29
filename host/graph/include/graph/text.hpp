// text.hpp: graphs as JSON, the form in which bundles have them.
#pragma once
#include <string>
#include <string_view>

#include "graph/graph.hpp"

namespace broch::graph {

std::string to_json(const Graph& graph);
// Checks everything: kinds, numbers of values and symbols, that values are defined before they are
// used. place: for errors. Throws base::Error (Exit::data).
Graph from_json(std::string_view text, const std::string& place);

}  // namespace broch::graph
