// launch.hpp: starts the ranks of a training on this machine.
#pragma once
#include <cstdint>

namespace broch::cli {

// Runs this program's command line once for each rank, in processes of their own, and waits for
// them. What ranks other than 0 say on stderr is passed on with their number before each line. The
// first that fails ends the others, and what it said last is said again at the end. Signals to end
// are handed on. The exit code of the first that failed, 0 if none did.
int launch(uint32_t ranks);

}  // namespace broch::cli
