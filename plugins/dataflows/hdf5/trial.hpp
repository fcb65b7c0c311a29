// trial.hpp: does in a child process what may crash, before it is done in this one.
#pragma once
#include <functional>
#include <string>

namespace hdf5 {

// Calls action in a child process. Throws Error if that process crashes, or has not ended after
// these seconds. Exceptions of action are no crash. Where no process can be started, nothing is
// tried.
void try_in_child(const std::string& file, unsigned seconds, const std::function<void()>& action);

}  // namespace hdf5
