// misfit.hpp: a data point that does not fit its model.
#pragma once
#include "abi/instance.hpp"
#include "base/error.hpp"

namespace broch::plan {

// What was refused, with the place in the manifest of the dataflow that the points of an input
// source come from, or of the source.
base::Error misfit(const base::Error& refused, const abi::Instance& source);

}  // namespace broch::plan
