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
Counts count_marks(std::string_view text, bool with_quotes) {
  // Bytes are added up before they can overflow, which lets the compiler use vectors.
  Counts counts;
  for (size_t begin = 0; begin < text.size(); begin += 128) {
    uint8_t quotes = 0, lines = 0;
    const size_t end = std::min(text.size(), begin + 128);
    for (size_t i = begin; i < end; ++i) {
      quotes = uint8_t(quotes + (text[i] == '"'));
      lines = uint8_t(lines + (text[i] == '\n'));
    }
    counts.quotes += with_quotes ? quotes : 0;
    counts.lines += lines;
  }
  return counts;
}

// Calls each with the position of every end of a line that is not inside of quotes.
template <class Each>
void find_line_ends(std::string_view text, bool with_quotes, bool inside, Each each) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (with_quotes && text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside && !each(i)) return;
  }
}

// Where pieces begin, of about kPieceBytes each, and the end of the text.
std::vector<size_t> find_bounds(std::string_view text, bool with_quotes, unsigned threads) {
  const size_t n = text.size() / kPieceBytes + 1;
  std::vector<Counts> counts(n);
  run_threads(threads, n, [&](size_t i) {
    counts[i] = count_marks(text.substr(i * kPieceBytes, kPieceBytes), with_quotes);
  });
  std::vector<size_t> bounds{0};
  uint64_t quotes = 0;
  for (size_t i = 0; i + 1 < n; ++i) {
    quotes += counts[i].quotes;
    const size_t from = (i + 1) * kPieceBytes;
    size_t begin = text.size();
    find_line_ends(text.substr(from), with_quotes, quotes % 2 == 1, [&](size_t end) {
      begin = from + end + 1;
      return false;
    });
    if (begin > bounds.back() && begin < text.size()) bounds.push_back(begin);
  }
  bounds.push_back(text.size());
  return bounds;
}

// Sets the rows of the piece; the result is the number of its lines.
uint64_t count_rows(CsvPiece& piece, bool with_quotes) {
  const Counts marks = count_marks(piece.text, with_quotes);
  piece.rows = marks.lines;
  if (marks.quotes == 0) return marks.lines;
  piece.rows = 0;
  find_line_ends(piece.text, true, false, [&](size_t) { return bool(++piece.rows); });
  return marks.lines;
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

std::vector<CsvPiece> cut_csv(std::string_view text, uint64_t first_line, bool with_quotes,
                              unsigned threads) {
  const std::vector<size_t> bounds = find_bounds(text, with_quotes, threads);
  std::vector<CsvPiece> pieces;
  for (size_t i = 0; i + 1 < bounds.size(); ++i)
    pieces.push_back({text.substr(bounds[i], bounds[i + 1] - bounds[i])});
  std::vector<uint64_t> lines(pieces.size());
  run_threads(threads, pieces.size(),
              [&](size_t i) { lines[i] = count_rows(pieces[i], with_quotes); });
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
