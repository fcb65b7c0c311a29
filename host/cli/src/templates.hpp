// templates.hpp: the files of sdk/templates, which are part of the program, so that it needs none
// of them where it runs.
#pragma once
#include <optional>
#include <string_view>

namespace broch::cli {

// The text of "callback/plugin.cpp". No value: there is no such file.
std::optional<std::string_view> find_template(std::string_view path);

}  // namespace broch::cli
