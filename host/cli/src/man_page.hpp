// man_page.hpp: makes the manual page broch.1 from the registered commands.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace broch::cli {

// In troff, with the man macros.
std::string man_page(const CLI::App& app);

}  // namespace broch::cli
