// all_reduce.hpp: a reduction over all towers that compute a step together, as one operator in
// each.
#pragma once
#include <memory>

#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

// What is called for it in each tower. exact: see below.
std::shared_ptr<const HostKernel> all_reduce_kernel(bool mean, uint32_t towers, bool exact);

// Differentiable: the gradient is the same reduction of the towers' gradients. Outside of a
// TowerMeeting, all towers are assumed to have this tensor. exact: a program that passes other
// bits than the eager step is wrong, however small the difference is. REQUIRES: float32 or float64
// on the CPU.
Tensor all_reduce(Backend& backend, bool mean, uint32_t towers, bool exact, const Tensor& tensor);

}  // namespace broch::tower
