// file_error.hpp: what to say when std::filesystem throws.
#pragma once
#include <filesystem>

#include "base/error.hpp"

namespace broch::base {

inline Error file_error(const std::filesystem::filesystem_error& error) {
  return Error(Exit::data,
               {error.path1().string(), error.code().message(), "a file or folder that can be used",
                "check the path and its permissions"});
}

}  // namespace broch::base
