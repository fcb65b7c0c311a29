// rows.cpp: a file for each column, and a journal of how many rows are in all of them.
#include "rows.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/content.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "store/atomic_file.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using base::Exit;

constexpr size_t kBlock = 4 << 20;
constexpr char kEnd = ';';  // of a line of the journal

[[noreturn]] void fail(const fs::path& path, const char* action) {
  base::fail(Exit::data, path.string(), std::string(action) + ": " + std::strerror(errno), "",
             errno == ENOSPC ? "free space on this file system, or choose another one"
                             : "check the path and its permissions");
}

std::string content_or_nothing(const fs::path& path) { return base::content_of(path).value_or(""); }

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += char(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

// One line for each column: dtype, rank, dimensions, name.
std::string to_text(const std::vector<Column>& columns) {
  std::ostringstream text;
  for (const Column& column : columns) {
    text << column.dtype << ' ' << column.row.rank;
    for (const int64_t size : column.row.span()) text << ' ' << size;
    text << ' ' << column.name << '\n';
  }
  return text.str();
}

std::vector<Column> from_text(const std::string& text) {
  std::vector<Column> columns;
  std::istringstream lines(text);
  for (Column one; lines >> one.dtype >> one.row.rank && one.row.rank <= BROCH_RANK_MAX;) {
    for (uint32_t i = 0; i < one.row.rank; ++i) lines >> one.row.dims[i];
    lines.ignore(1);
    std::getline(lines, one.name);
    columns.push_back(one);
    one = {};
  }
  return columns;
}

}  // namespace

Rows::Rows(const fs::path& output, const std::string& identity) {
  const fs::path target = fs::absolute(output);
  folder_ = target.parent_path() / (".broch-predict-" + target.filename().string());
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) fail(output, "cannot be written");
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock_ < 0) fail(folder_, "cannot be opened");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    base::fail(Exit::data, output.string(), "another process is writing it",
               "one process for each file", "wait for it, or choose another name");
  }
  if (content_or_nothing(folder_ / "identity") == identity) {
    recover();
    return;
  }
  for (const fs::directory_entry& one : fs::directory_iterator(folder_)) fs::remove_all(one.path());
  store::write_atomically(folder_ / "identity", identity);
}

Rows::~Rows() {
  for (std::FILE* file : files_) std::fclose(file);
  if (journal_) std::fclose(journal_);
  std::error_code ignored;
  if (count_ == 0) fs::remove_all(folder_, ignored);
  ::close(lock_);
}

fs::path Rows::file(size_t column) const { return folder_ / ("rows." + std::to_string(column)); }

// The last line of the journal that is complete. Rows are written before their line.
void Rows::recover() {
  const std::string journal = content_or_nothing(folder_ / "journal");
  columns_ = from_text(content_or_nothing(folder_ / "columns"));
  std::istringstream lines(journal.substr(0, journal.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with(kEnd)) continue;  // was cut
    line.pop_back();
    const int64_t rows = std::strtoll(line.c_str(), nullptr, 10);
    for (size_t i = 0; i < columns_.size(); ++i) {
      std::error_code error;
      const uintmax_t size = fs::file_size(file(i), error);
      if (error || size < uintmax_t(rows) * columns_[i].bytes()) return;
    }
    count_ = rows;
    const size_t blank = line.find(' ');
    cursor_.reset();
    if (blank != line.npos) cursor_ = from_hex(line.substr(blank + 1));
  }
}

void Rows::begin(const std::vector<Column>& columns) {
  if (count_ > 0 && columns != columns_)
    base::fail(Exit::data, folder_.string(), "predictions of another kind", "the same as now",
               "remove the folder to begin anew");
  if (!files_.empty()) return;
  columns_ = columns;
  store::write_atomically(folder_ / "columns", to_text(columns));
  for (size_t i = 0; i < columns.size(); ++i) {
    std::FILE* const opened = std::fopen(file(i).c_str(), "ab");
    if (!opened) fail(file(i), "cannot be written");
    files_.push_back(opened);
    if (::ftruncate(::fileno(opened), off_t(size_t(count_) * columns[i].bytes())) != 0)
      fail(file(i), "cannot be written");
  }
  journal_ = std::fopen((folder_ / "journal").c_str(), "ab");
  if (!journal_) fail(folder_ / "journal", "cannot be written");
  std::fputs("\n", journal_);  // ends a line that was cut
}

void Rows::add(int64_t n, const std::vector<std::string>& bytes,
               const std::optional<std::string>& cursor) {
  for (size_t i = 0; i < files_.size(); ++i)
    if (std::fwrite(bytes[i].data(), 1, bytes[i].size(), files_[i]) != bytes[i].size() ||
        std::fflush(files_[i]) != 0)
      fail(file(i), "cannot be written");
  count_ += n;
  cursor_ = cursor;
  const std::string line = std::to_string(count_) +
                           (cursor ? " " + base::hexadecimal(*cursor) : std::string()) + kEnd +
                           "\n";
  if (std::fputs(line.c_str(), journal_) < 0 || std::fflush(journal_) != 0)
    fail(folder_ / "journal", "cannot be written");
}

void Rows::read(size_t column, const std::function<void(std::string_view)>& found) const {
  const int64_t most =
      int64_t(std::max<size_t>(1, kBlock / std::max<size_t>(1, columns_[column].bytes())));
  for (int64_t first = 0; first < count_; first += most)
    found(read(column, first, std::min(most, count_ - first)));
}

std::string Rows::read(size_t column, int64_t first, int64_t n) const {
  const size_t row = columns_[column].bytes();
  std::ifstream stream(file(column), std::ios::binary);
  std::string bytes(size_t(n) * row, '\0');
  stream.seekg(std::streamoff(size_t(first) * row));
  if (!stream.read(bytes.data(), std::streamsize(bytes.size()))) fail(file(column), "cut short");
  return bytes;
}

void Rows::remove() {
  for (std::FILE* one : files_) std::fclose(one);
  files_.clear();
  count_ = 0;  // the destructor removes the folder
}

}  // namespace broch::predict
