// graph_reader.hpp: the graph of a program.
#pragma once
#include <map>
#include <string>

#include "models/exported/program.hpp"

namespace exported {

// They throw broch::Error with the place in the text.
Graph graph_of(const Json& json);
// A number, or a value of these names.
Item item_of(const Json& argument, const std::map<std::string, int>& places);

}  // namespace exported
