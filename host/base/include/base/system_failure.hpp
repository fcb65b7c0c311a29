// system_failure.hpp: what to say about failures that the standard library throws for the system.
#pragma once
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.hpp"

namespace broch::base {

// The system has no room for another thread.
inline Error lack_of_threads() {
  return Error(Exit::memory, {"threads of this process", "the system refuses another one",
                              "room for all that the command starts",
                              "raise the limit of processes (ulimit -u, or that of the container), "
                              "or use fewer threads"});
}

// The failure of a file or, from the constructor of std::thread, of a thread; otherwise none.
inline std::optional<Error> system_failure(const std::exception& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return Error(Exit::data,
                 {file->path1().string(), file->code().message(),
                  "a file or folder that can be used", "check the path and its permissions"});
  const auto* other = dynamic_cast<const std::system_error*>(&error);
  if (!other || other->code() != std::errc::resource_unavailable_try_again) return std::nullopt;
  return lack_of_threads();
}

}  // namespace broch::base
