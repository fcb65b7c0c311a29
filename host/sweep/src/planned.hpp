// planned.hpp: the trials of a grid or of random draws, which are known before the first one
// starts.
#pragma once
#include <vector>

#include "sweep/trial.hpp"

namespace broch::sweep {

// Of a grid: every combination; the last parameter changes fastest. At random: trial N has the
// parameters that its number and the seed give, whatever the number of trials. Throws base::Error
// (manifest) if a grid is infinite or too large. Of a command: none.
std::vector<Trial> planned_trials(const Spec& spec);

}  // namespace broch::sweep
