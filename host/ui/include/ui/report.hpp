// report.hpp: broch run report: runs as one file for a browser, which needs no server.
#pragma once
#include <string>
#include <vector>

namespace broch::ui {

// The text of the file. log_dirs: of runs. Throws base::Error (data) if one is no run.
std::string report(const std::vector<std::string>& log_dirs);

}  // namespace broch::ui
