// ranking_file.hpp: a ranking of the classes of each row as CSV or JSON lines.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "predict/ranking.hpp"
#include "rows.hpp"

namespace broch::predict {

// Before rows are written. Throws base::Error if these columns are no scores of classes, or of
// another number of classes. Names from a manifest with another number are dropped with a warning.
void check_scores(const std::vector<Column>& columns, Ranking& ranking);

struct Ranked {
  std::optional<size_t> number;  // of the class; none: it is not known
  double probability;
};

// How a text format writes rankings.
struct RankingText {
  std::string (*head)(bool has_files, int64_t top);
  // file: the name of the sample; may be null.
  std::string (*line)(const std::string* file, const std::vector<Ranked>& classes,
                      const Ranking& ranking, const Column& column);
};
extern const RankingText kCsvRanking, kJsonRanking;

// files: the names of the samples; may be empty.
void write_ranking(const Rows& rows, const std::vector<std::string>& files, const Ranking& ranking,
                   const RankingText& text, const std::filesystem::path& to);

}  // namespace broch::predict
