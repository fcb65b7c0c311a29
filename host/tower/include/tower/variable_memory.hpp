// variable_memory.hpp: finds values that the updates of their own step would overwrite.
#pragma once
#include <vector>

#include "tower/names.hpp"
#include "tower/tower.hpp"

namespace broch::tower {

// Whether the value lies in the memory of a variable that a step of this tower may write: of a
// trainable one, or of one that these updates write.
bool lies_in_variable(const Tower& tower, const std::vector<Update>& updates, const Tensor& value);

}  // namespace broch::tower
