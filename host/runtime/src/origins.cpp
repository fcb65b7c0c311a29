// origins.cpp: remembers, for each thread and instance, which cursors it has read.
#include "origins.hpp"

#include <algorithm>
#include <vector>

namespace broch::runtime {
namespace {

constexpr size_t kShown = 1024;  // how many origins of one point are kept

struct Read {
  std::string origin, cursor;
};

struct Reader {
  const abi::Instance* who = nullptr;
  std::vector<Read> all;  // the first `count` are valid; the others keep their memory for reuse
  size_t count = 0;
  const abi::Instance* of = nullptr;  // the instance that set those cursors; nullptr: several did
};

Reader& reader(const abi::Instance& who) {
  static thread_local std::vector<Reader> readers;
  for (Reader& one : readers)
    if (one.who == &who) return one;
  readers.push_back({&who, {}, 0, nullptr});
  return readers.back();
}

// As many cursors as the point has rows: earlier ones were read by an earlier call that did not use
// them.
size_t rows_of(const Point& point, size_t most) {
  if (point.size() == 0 || point.taken(0) || point.tensor(0).ndim == 0) return most;
  const int64_t rows = point.tensor(0).shape[0];
  return most > 1 && rows > 0 ? std::min(most, static_cast<size_t>(rows)) : most;
}

// Whether `cursor` is `read`, or ends with ':' and `read`.
bool carries_on(std::string_view cursor, const std::string& read) {
  if (!cursor.ends_with(read)) return false;
  return cursor.size() == read.size() || cursor[cursor.size() - read.size() - 1] == ':';
}

std::string joined(const Reader& reader, size_t first) {
  std::string text;
  for (size_t i = first; i < reader.count; ++i) {
    if (i > first) text += ", ";
    text += reader.all[i].origin;
  }
  return text;
}

}  // namespace

void note_cursor_read(const abi::Instance& by, const Point& point) {
  if (!point.has_cursor) return;
  Reader& of = reader(by);
  if (of.count == 2 * kShown) {  // keeps the newest ones
    std::rotate(of.all.begin(), of.all.begin() + kShown, of.all.end());
    of.count = kShown;
  }
  if (of.count == 0) of.of = point.origin_of;
  if (of.of != point.origin_of) of.of = nullptr;
  if (of.count == of.all.size()) of.all.emplace_back();
  Read& read = of.all[of.count++];
  read.origin = point.origin.empty() ? point.cursor : point.origin;
  read.cursor = point.cursor;
}

void note_cursor_set(const abi::Instance& by, Point& point, std::string_view cursor) {
  Reader& of = reader(by);
  if (point.origin.empty()) {
    point.origin_of = &by;
    if (of.count > 0 && carries_on(cursor, of.all[of.count - 1].cursor)) {
      point.origin = joined(of, of.count - rows_of(point, std::min(of.count, kShown)));
      point.origin_of = of.of;
    }
  }
  of.count = 0;
}

void note_moved(Point& point) {
  if (point.origin.empty() && point.has_cursor) point.origin = point.cursor;
}

}  // namespace broch::runtime
