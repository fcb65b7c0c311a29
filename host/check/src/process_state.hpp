// process_state.hpp: properties of the process that a plugin must not change.
#pragma once
#include <map>
#include <string>

namespace broch::check {

// By name: number of threads, open files, environment variables, working directory, locale, signal
// mask and handlers.
using ProcessState = std::map<std::string, std::string>;
ProcessState process_state();

// Describes the first difference; "" if there is none.
std::string difference(const ProcessState& before, const ProcessState& after);

size_t count_threads();
// Waits up to a second until there are no more threads than expected, then counts. The host's own
// threads may end shortly after a stop.
size_t count_threads_beyond(size_t expected);
size_t count_files();

}  // namespace broch::check
