// written.hpp: whether what was written has reached its file.
#pragma once
#include <broch/cpp/error.hpp>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>

namespace containers {

// Call it right after writing, while errno says why that failed. Throws Error.
inline void check_written(const std::ostream& stream, const std::string& path) {
  if (stream) return;
  throw broch::Error(BROCH_E_DATA_LOSS,
                     path + ": cannot be written: " + std::strerror(errno) +
                         "; check the path, its permissions and the space that is left");
}

}  // namespace containers
