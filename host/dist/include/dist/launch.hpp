// launch.hpp: starts the ranks of a run on this machine.
#pragma once
#include <cstdint>

namespace broch::dist {

// Runs the command line of this program in one process per rank, and waits for all of them. The
// stderr of ranks other than 0 is printed with the rank's number before each line. When a rank
// fails, the others are ended, and its last output is repeated at the end. base::kEndingSignals are
// passed on; SIGHUP is ignored if it was (nohup). Returns the exit code of the first rank that
// failed; else, if a signal has ended the run, that of rank 0: 75, 130 or 143; else 0.
int launch(uint32_t ranks);

}  // namespace broch::dist
