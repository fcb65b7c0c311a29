// ranking.cpp: what a ranking needs, checked before anything is computed or written.
#include "predict/ranking.hpp"

#include "archive/lines.hpp"
#include "base/content.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "formats.hpp"
#include "ranking_file.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using base::Exit;

[[noreturn]] void refuse_names(const std::string& place, const std::string& found,
                               const std::string& expected) {
  base::fail(Exit::data, "--classes " + place, found, expected,
             "write one line for each class, in the order of the labels, in UTF-8");
}

std::vector<std::string> names_in(const std::string& file) {
  const std::optional<std::string> text = base::content_of(file);
  if (!text)
    refuse_names(file, "no file that can be read", "a file with the name of one class per line");
  std::vector<std::string> names = archive::lines_in(*text);
  if (names.empty()) refuse_names(file, "an empty file", "the name of one class per line");
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string place = file + ", line " + std::to_string(i + 1);
    if (names[i].find_first_not_of(" \t") == names[i].npos)
      refuse_names(place, "an empty line", "the name of a class");
    if (!base::is_utf8(names[i]))
      refuse_names(place, "bytes that are no UTF-8", "the name of a class");
  }
  return names;
}

}  // namespace

Ranking ranking_for(int64_t top, const std::optional<std::string>& classes_file,
                    const fs::path& output, const Ports& ports, std::vector<std::string> names) {
  Ranking ranking{top, {}, classes_file.value_or("")};
  if (top == 0) return ranking;
  require_ranking_format(output);
  if (ports.outputs.size() != 1)
    base::fail(Exit::usage, "--top", base::counted(int64_t(ports.outputs.size()), "output"),
               "one, with the scores of the classes", "choose it with --name");
  ranking.names = classes_file ? names_in(*classes_file) : std::move(names);
  if (ranking.names.empty())
    base::info(
        "the data of the training do not name the classes, which are written as numbers; "
        "--classes FILE names them");
  return ranking;
}

void check_scores(const std::vector<Column>& columns, Ranking& ranking) {
  const Column& column = columns.at(0);
  const std::string place = "--top: output '" + column.name + "'";
  const bool is_float = column.dtype == BROCH_FLOAT32 || column.dtype == BROCH_FLOAT64;
  const int64_t classes = column.row.elements();
  if (!is_float || column.row.rank != 1 || classes < 2)
    base::fail(Exit::usage, place, runtime::type_text(column.dtype, column.row) + " of a sample",
               "floats, one for each of at least two classes", "choose another output with --name");
  if (ranking.top > classes)
    base::fail(Exit::usage, place, base::counted(classes, "class", "classes"),
               "at least " + std::to_string(ranking.top), "ask for fewer");
  if (ranking.names.empty() || int64_t(ranking.names.size()) == classes) return;
  const std::string found = base::counted(int64_t(ranking.names.size()), "name");
  const std::string expected = "one for each of " + std::to_string(classes) + " scores";
  if (!ranking.file.empty()) refuse_names(ranking.file, found, expected);
  base::warning("the data of the training have " + found + " of classes, expected " + expected +
                ": classes are written as numbers; --classes FILE names them");
  ranking.names.clear();
}

}  // namespace broch::predict
