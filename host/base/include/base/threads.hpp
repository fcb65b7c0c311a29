// threads.hpp: what to say when the system has no room for another thread.
#pragma once
#include <system_error>

#include "base/error.hpp"

namespace broch::base {

// Whether the constructor of std::thread threw this because there may be no further thread.
inline bool is_lack_of_threads(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again;
}

inline Error lack_of_threads() {
  return Error(Exit::memory, {"threads of this process", "the system refuses another one",
                              "room for all that the command starts",
                              "raise the limit of processes (ulimit -u, or that of the container), "
                              "or use fewer threads"});
}

}  // namespace broch::base
