// csv_pieces.cpp: cuts a text at ends of lines. Quotes are counted first, so that a line that ends
// inside of quotes is known from the number of quotes before it.
#include "files/csv_pieces.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace files {
namespace {

constexpr uint64_t kPieceBytes = uint64_t{4} << 20;

struct Counts {
  uint64_t quotes = 0, lines = 0;
};
Counts count_marks(std::string_view text) {
  // Bytes are added up before they can overflow, which lets the compiler use vectors.
  Counts counts;
  for (size_t begin = 0; begin < text.size(); begin += 128) {
    uint8_t quotes = 0, lines = 0;
    const size_t end = std::min(text.size(), begin + 128);
    for (size_t i = begin; i < end; ++i) {
      quotes = uint8_t(quotes + (text[i] == '"'));
      lines = uint8_t(lines + (text[i] == '\n'));
    }
    counts.quotes += quotes;
    counts.lines += lines;
  }
  return counts;
}

// Calls each with the position of every end of a line that is not inside of quotes.
template <class Each>
void find_line_ends(std::string_view text, bool inside, Each each) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside && !each(i)) return;
  }
}

}  // namespace

void run_threads(unsigned threads, size_t jobs, const std::function<void(size_t)>& job) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < jobs; i = next++) job(i);
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < std::min<size_t>(threads, jobs); ++i) others.emplace_back(work);
  work();
}

std::vector<CsvPiece> cut_csv(std::string_view text, uint64_t first_line, unsigned threads) {
  const size_t n = text.size() / kPieceBytes + 1;
  std::vector<Counts> counts(n);
  run_threads(threads, n, [&](size_t i) {
    counts[i] = count_marks(text.substr(i * kPieceBytes, kPieceBytes));
  });
  std::vector<size_t> begins{0};
  uint64_t quotes = 0;
  for (size_t i = 0; i + 1 < n; ++i) {
    quotes += counts[i].quotes;
    const size_t from = (i + 1) * kPieceBytes;
    size_t begin = text.size();
    find_line_ends(text.substr(from), quotes % 2 == 1, [&](size_t end) {
      begin = from + end + 1;
      return false;
    });
    if (begin > begins.back() && begin < text.size()) begins.push_back(begin);
  }
  begins.push_back(text.size());

  std::vector<CsvPiece> pieces;
  for (size_t i = 0; i + 1 < begins.size(); ++i)
    pieces.push_back({text.substr(begins[i], begins[i + 1] - begins[i])});
  std::vector<uint64_t> lines(pieces.size());
  run_threads(threads, pieces.size(), [&](size_t i) {
    const Counts marks = count_marks(pieces[i].text);
    lines[i] = pieces[i].rows = marks.lines;
    if (marks.quotes == 0) return;
    pieces[i].rows = 0;
    find_line_ends(pieces[i].text, false, [&](size_t) { return bool(++pieces[i].rows); });
  });
  if (!text.empty() && text.back() != '\n') ++pieces.back().rows;
  uint64_t rows = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i].first_line = first_line;
    pieces[i].first_row = rows;
    first_line += lines[i];
    rows += pieces[i].rows;
  }
  return pieces;
}

}  // namespace files
