// signature.hpp: what the inputs and outputs of a program's graph are.
#pragma once
#include "models/exported/program.hpp"

namespace exported {

// Adds inputs and outputs to a program that has its graph. module: its graph_module. Throws
// broch::Error with the place in the text.
void read_signature(const Json& module, Program& program);

}  // namespace exported
