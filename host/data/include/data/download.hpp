// download.hpp: fetches the files of a dataset.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "data/datasets.hpp"
#include "session/ui.hpp"

namespace broch::data {

// Such as "11.6 MB"; 0: "of unknown size".
std::string size_text(uint64_t bytes);

// Fetches the files that are not in the folder, which is made, and verifies all of them. An earlier
// download is continued. Uses the program curl or wget. Returns the names of the files that were
// fetched. Throws base::Error (data).
std::vector<std::string> download(const Dataset& dataset, const std::filesystem::path& folder,
                                  session::Ui& ui);

}  // namespace broch::data
