// ranking.hpp: the likeliest classes of each sample, in place of the scores of all classes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "predict/model.hpp"

namespace broch::predict {

struct Ranking {
  int64_t top = 0;                 // classes of each sample; 0: scores are written
  std::vector<std::string> names;  // of the classes, in the order of their numbers; empty: none
  std::string file;                // with the names; "": the manifest has them
};

// The ranking that the options --top and --classes ask for, which writes to this file. names: of
// the classes, unless there is a file with them. Throws base::Error: usage if the output cannot
// hold words, data if the file of classes is not as it should be.
Ranking ranking_for(int64_t top, const std::optional<std::string>& classes_file,
                    const std::filesystem::path& output, const Ports& ports,
                    std::vector<std::string> names);

}  // namespace broch::predict
