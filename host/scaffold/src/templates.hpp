// templates.hpp: the files of sdk/templates. They are embedded in the program, so that it works
// without them.
#pragma once
#include <optional>
#include <string_view>

namespace broch::scaffold {

// The text of a file, such as "callback/plugin.cpp"; nothing if there is no such file.
std::optional<std::string_view> find_template(std::string_view path);

}  // namespace broch::scaffold
