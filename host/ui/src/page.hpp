// page.hpp: the files of the page, which are part of the program (host/ui/page).
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace broch::ui {

struct PageFile {
  const char* name;  // "chart.js"
  const char* text;
};

std::span<const PageFile> page_files();
// Throws std::out_of_range.
std::string_view page_file(std::string_view name);
// The scripts, in the order in which the page loads them.
std::span<const char* const> page_scripts();

}  // namespace broch::ui
