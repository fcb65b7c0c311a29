// content.hpp: a whole file.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace broch::base {

// No value: it is a folder, or it cannot be read.
std::optional<std::string> content_of(const std::filesystem::path& file);

}  // namespace broch::base
