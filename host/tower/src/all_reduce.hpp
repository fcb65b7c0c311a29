// all_reduce.hpp: a tensor of all towers that compute a step together, as one operator of each.
#pragma once
#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// Differentiable: the gradient is the same reduction of the towers' gradients. Outside of a
// TowerMeeting all towers are taken to have this tensor. REQUIRES: float32 or float64 on the CPU.
// exact: a program that gives it other bits than the step is wrong, however little they weigh.
Tensor all_reduce(Backend& backend, bool mean, uint32_t towers, bool exact, const Tensor& tensor);

}  // namespace broch::tower
