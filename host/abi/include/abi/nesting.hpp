// nesting.hpp: which components lie within which.
#pragma once
#include "abi/instance.hpp"

namespace broch::abi {

// Whether `instance` is the parent itself or a component within it.
bool contains(const Instance& parent, const Instance& instance);

}  // namespace broch::abi
