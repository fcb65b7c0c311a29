// ranking_file.hpp: a ranking of the classes of each row as CSV or JSON lines.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "predict/ranking.hpp"
#include "rows.hpp"

namespace broch::predict {

// Before rows are written. Throws base::Error if these columns are no scores of classes, or of
// another number of classes. Names from a manifest with another number are dropped with a warning.
void check_scores(const std::vector<Column>& columns, Ranking& ranking);

// files: the names of the samples; may be empty.
void write_ranking(const Rows& rows, const std::vector<std::string>& files, const Ranking& ranking,
                   const std::filesystem::path& to);

}  // namespace broch::predict
