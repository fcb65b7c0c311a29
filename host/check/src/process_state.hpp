// process_state.hpp: what belongs to the whole process, to be compared.
#pragma once
#include <map>
#include <string>

namespace broch::check {

// Names to values: threads, open files, variables of the environment, working directory, locale,
// signal mask and handlers.
using ProcessState = std::map<std::string, std::string>;
ProcessState process_state();

// "" or what is different, in words.
std::string difference(const ProcessState& before, const ProcessState& after);

size_t count_threads();
// The same once there are no more than expected, or after a second: the host's own threads around a
// stop end a moment after it.
size_t count_threads_beyond(size_t expected);
size_t count_files();

}  // namespace broch::check
