// ranking_file.cpp: softmax of the scores, and the classes in the order of their probabilities.
#include "ranking_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/log.hpp"
#include "base/noun.hpp"
#include "text_rows.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;

constexpr double kSumTolerance = 4e-3;  // of probabilities that were rounded to bfloat16

std::vector<double> numbers_of(const char* bytes, const Column& column) {
  std::vector<double> numbers(size_t(column.row.elements()));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = column.dtype == BROCH_FLOAT64 ? load<double>(bytes + i * sizeof(double))
                                               : double(load<float>(bytes + i * sizeof(float)));
  return numbers;
}

bool has_nan(const std::vector<double>& numbers) {
  return std::ranges::any_of(numbers, [](double number) { return std::isnan(number); });
}

bool are_probabilities(const std::vector<double>& numbers) {
  const bool in_range = std::ranges::all_of(numbers, [](double p) { return p >= 0 && p <= 1; });
  return in_range && std::abs(std::reduce(numbers.begin(), numbers.end()) - 1) <= kSumTolerance;
}

// Whether the model ends with a softmax of its own: scores of all rows do not look so by chance.
bool has_softmax(const Rows& rows) {
  bool has = true, is_empty = true;
  each_row(rows, [&](int64_t, size_t, const char* bytes) {
    if (!has) return;
    const std::vector<double> numbers = numbers_of(bytes, rows.columns()[0]);
    if (has_nan(numbers)) return;
    is_empty = false;
    has = are_probabilities(numbers);
  });
  return has && !is_empty;
}

// Scores that are infinite share the whole probability.
void softmax(std::vector<double>& scores) {
  const double most = std::ranges::max(scores);
  double sum = 0;
  for (double& score : scores) sum += score = score == most ? 1 : std::exp(score - most);
  for (double& score : scores) score /= sum;
}

// Of equal probabilities, the class with the lower number comes first, as argmax has it. Scores
// that are not a number have no order: no class is the likeliest.
std::vector<Ranked> ranked(const std::vector<double>& probabilities, int64_t top) {
  std::vector<Ranked> all;
  for (const double probability : probabilities) all.push_back({all.size(), probability});
  std::ranges::partial_sort(all, all.begin() + top, [](const Ranked& a, const Ranked& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.number < b.number;
  });
  all.resize(size_t(top));
  return all;
}

std::vector<Ranked> unknown(int64_t top) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return std::vector<Ranked>(size_t(top), {std::nullopt, kNan});
}

std::string probability_text(double probability, const Column& column, const Words& words) {
  return column.dtype == BROCH_FLOAT64 ? text_of(probability, words)
                                       : text_of(float(probability), words);
}

// "class,probability", or "class_1,probability_1,class_2,…".
std::string csv_head(bool has_files, int64_t top) {
  std::string head = has_files ? "file" : "";
  for (int64_t place = 1; place <= top; ++place) {
    const std::string number = top == 1 ? "" : "_" + std::to_string(place);
    head += (head.empty() ? "" : ",") + ("class" + number) + ",probability" + number;
  }
  return head + "\n";
}

// The number stands for a class without a name; "": it is not known.
std::string name_of(const Ranked& one, const Ranking& ranking) {
  if (!one.number) return "";
  return ranking.names.empty() ? std::to_string(*one.number) : ranking.names[*one.number];
}

std::string csv_line(const std::string* file, const std::vector<Ranked>& classes,
                     const Ranking& ranking, const Column& column) {
  std::string line = file ? csv_cell(*file) : "";
  for (const Ranked& one : classes)
    line += (line.empty() ? "" : ",") + csv_cell(name_of(one, ranking)) + "," +
            probability_text(one.probability, column, kCsvWords);
  return line + "\n";
}

std::string json_line(const std::string* file, const std::vector<Ranked>& classes,
                      const Ranking& ranking, const Column& column) {
  const auto quoted = [](const std::string& word) { return value::to_text(value::Value(word)); };
  const auto name = [&](const Ranked& one) {
    if (!one.number) return std::string("null");
    return ranking.names.empty() ? std::to_string(*one.number) : quoted(name_of(one, ranking));
  };
  std::string line = file ? "{\"file\": " + quoted(*file) + ", " : "{";
  line += "\"classes\": [";
  for (const Ranked& one : classes)
    line += (&one == classes.data() ? "" : ", ") + std::string("{\"class\": ") + name(one) +
            ", \"probability\": " + probability_text(one.probability, column, kJsonWords) + "}";
  return line + "]}\n";
}

std::string no_head(bool, int64_t) { return ""; }

}  // namespace

const RankingText kCsvRanking{csv_head, csv_line}, kJsonRanking{no_head, json_line};

void write_ranking(const Rows& rows, const std::vector<std::string>& files, const Ranking& ranking,
                   const RankingText& text, const fs::path& to) {
  const Column& column = rows.columns()[0];
  const bool is_ready = has_softmax(rows);
  if (is_ready)
    base::info("the rows of '" + column.name +
               "' are probabilities, which are written as they are");
  int64_t unknown_rows = 0;
  std::ofstream stream = created(to);
  stream << text.head(!files.empty(), ranking.top);
  each_row(rows, [&](int64_t row, size_t, const char* bytes) {
    std::vector<double> numbers = numbers_of(bytes, column);
    const bool is_unknown = has_nan(numbers);
    unknown_rows += is_unknown;
    if (!is_ready) softmax(numbers);
    const std::vector<Ranked> classes =
        is_unknown ? unknown(ranking.top) : ranked(numbers, ranking.top);
    const std::string* const file = files.empty() ? nullptr : &files[size_t(row)];
    stream << text.line(file, classes, ranking, column);
  });
  finish(stream, to);
  if (unknown_rows > 0)
    base::warning(base::counted(unknown_rows, "sample") +
                  " without a class, since scores are not a number");
}

}  // namespace broch::predict
