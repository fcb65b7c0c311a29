// describe.hpp: what a model says about itself.
#pragma once
#include "model.hpp"

namespace broch::lib {

// Fills the inputs and outputs of a model that has its graph.
void describe(libbroch_model& model);

}  // namespace broch::lib
