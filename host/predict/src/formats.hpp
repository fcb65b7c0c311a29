// formats.hpp: rows as a file of a common format, which the ending of its name decides.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "ranking_file.hpp"
#include "rows.hpp"

namespace broch::predict {

struct Format {
  const char* ending;
  // What it cannot hold; "": it can hold these columns.
  std::string (*problem)(const std::vector<Column>& columns);
  // files: the names of the samples, of which the text formats make a column; may be empty.
  void (*write)(const Rows& rows, const std::vector<std::string>& files,
                const std::filesystem::path& to);
  const RankingText* ranking;  // null: it cannot hold the names of classes
};

// Throws base::Error (usage) for another ending.
const Format& format_of(const std::filesystem::path& file);
// Throws base::Error (usage) if the format cannot hold the names of classes.
void require_ranking_format(const std::filesystem::path& file);

}  // namespace broch::predict
