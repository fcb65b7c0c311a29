// misfit.hpp: the error for a data point that does not fit the model.
#pragma once
#include "abi/instance.hpp"
#include "base/error.hpp"

namespace broch::plan {

// Adds to an error where in the manifest the points come from: the dataflow behind an input
// source, or the source itself.
base::Error misfit(const base::Error& refused, const abi::Instance& source);

}  // namespace broch::plan
