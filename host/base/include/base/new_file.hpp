// new_file.hpp: commands replace a file only with --force.
#pragma once
#include <filesystem>

namespace broch::base {

// Throws Error (data) if something has this name, be it a link that leads nowhere. A name that
// cannot be examined, such as one that is too long, is left to whoever writes the file.
void require_new(const std::filesystem::path& path);

}  // namespace broch::base
