// new_file.cpp: looks at the name itself, not at where a link leads.
#include "base/new_file.hpp"

#include <system_error>

#include "base/error.hpp"

namespace broch::base {

void require_new(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    fail(Exit::data, path.string(), "exists already", "a new name",
         "choose another name, or replace it with --force");
}

}  // namespace broch::base
