// man_page.hpp: broch.1 from the commands as they are registered.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace broch::cli {

// troff with the man macros.
std::string man_page(const CLI::App& app);

}  // namespace broch::cli
