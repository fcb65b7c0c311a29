// point_notes.hpp: what the guard notes on data points around the calls of plugins.
#pragma once
#include "abi/point_notes.hpp"

namespace broch::runtime {

// The one object of this kind; it has no state.
const abi::PointNotes& point_notes();

}  // namespace broch::runtime
