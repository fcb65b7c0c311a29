// lmdb_file.cpp: a B+ tree of pages. Source: the structures MDB_meta, MDB_db, MDB_page and MDB_node
// in mdb.c of LMDB 0.9; numbers are little-endian, as machines with x86-64 write them.
#include "containers/lmdb_file.hpp"

#include <cstring>

#include "arrays/diagnostic.hpp"

namespace containers {
namespace {

using arrays::refuse;

constexpr uint64_t kHead = 16;  // bytes of a page: number, padding, flags, lower and upper bound
constexpr uint64_t kMetaSize = 136;
constexpr uint32_t kMagic = 0xBEEFC0DE, kVersion = 1;
constexpr uint64_t kNone = ~uint64_t{0};                    // as the root: the tree is empty
enum : uint16_t { kBranch = 1, kLeaf = 2, kOverflow = 4 };  // of a page
enum : uint16_t { kBigData = 1, kSubDatabase = 2, kDuplicates = 4 };        // of a node
enum : uint16_t { kReverseKeys = 2, kSortedValues = 4, kIntegerKeys = 8 };  // of a database
constexpr uint16_t kDeepest = 32;
const char* const kDamaged = "the database is damaged; copy or write it again";

template <class T>
T number_at(std::string_view bytes, uint64_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string place_of(const Source& source, uint64_t offset) {
  return source.name() + ": byte " + std::to_string(offset);
}

}  // namespace

// A branch or a leaf, with its nodes.
class LmdbFile::Page {
 public:
  Page(const LmdbFile& file, uint64_t number) : file_(file), begin_(number * file.page_size_) {
    if (number < 2 || number > file.meta_.last_page)
      refuse(place_of(file.source_, begin_), "a reference to page " + std::to_string(number),
             "a page from 2 to " + std::to_string(file.meta_.last_page), kDamaged);
    bytes_ = file.source_.read(begin_, file.page_size_);
    const uint16_t flags = number_at<uint16_t>(bytes_, 10), lower = number_at<uint16_t>(bytes_, 12);
    is_leaf_ = flags == kLeaf;
    if ((flags != kLeaf && flags != kBranch) || lower < kHead || lower > bytes_.size())
      fail("a page with flags " + std::to_string(flags), "a branch or a leaf");
    count_ = (lower - kHead) / 2;
    if (!is_leaf_ && count_ == 0) fail("a branch without children", "at least one");
  }

  bool is_leaf() const { return is_leaf_; }
  uint64_t count() const { return count_; }

  std::string_view key(uint64_t node) const {
    const uint64_t at = offset(node);
    return std::string_view(bytes_).substr(at + 8, number_at<uint16_t>(bytes_, at + 6));
  }
  // Of a branch.
  uint64_t child(uint64_t node) const {
    const uint64_t at = offset(node);
    return number_at<uint32_t>(bytes_, at) | uint64_t(number_at<uint16_t>(bytes_, at + 4)) << 32;
  }
  // Of a leaf.
  Extent value(uint64_t node) const {
    const uint64_t at = offset(node), size = number_at<uint32_t>(bytes_, at);
    const uint64_t data = at + 8 + number_at<uint16_t>(bytes_, at + 6);
    const uint16_t flags = number_at<uint16_t>(bytes_, at + 4);
    if (flags & (kSubDatabase | kDuplicates))
      fail("a key with a database or several values", "one value",
           "copy the data points into a database of their own");
    if (!(flags & kBigData)) {
      if (size > bytes_.size() - data)
        fail("a value of " + std::to_string(size) + " bytes", "one that ends within its page");
      return {begin_ + data, size};
    }
    if (bytes_.size() - data < 8) fail("no page of a large value", "its number");
    const uint64_t page = number_at<uint64_t>(bytes_, data);
    const uint64_t file_size = file_.source_.size();
    if (page < 2 || page > file_.meta_.last_page ||
        size > file_size - page * file_.page_size_ - kHead)
      fail("a value of " + std::to_string(size) + " bytes in page " + std::to_string(page),
           "one that ends within the file");
    const uint64_t begin = page * file_.page_size_;
    if (number_at<uint16_t>(file_.source_.read(begin, kHead), 10) != kOverflow)
      fail("page " + std::to_string(page) + " of another kind", "one of large values");
    return {begin + kHead, size};
  }

  // The number of nodes, from first on, whose key is not above this one.
  uint64_t nodes_up_to(std::string_view wanted, uint64_t first) const {
    uint64_t low = first, high = count_;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      if (key(middle) <= wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  [[noreturn]] void fail(const std::string& found, const std::string& expected,
                         const std::string& next = kDamaged) const {
    refuse(place_of(file_.source_, begin_), found, expected, next);
  }

 private:
  // Where a node begins, after a check that its head and key lie within the page.
  uint64_t offset(uint64_t node) const {
    const uint64_t at = number_at<uint16_t>(bytes_, kHead + 2 * node);
    if (at < kHead || at + 8 > bytes_.size() ||
        at + 8 + number_at<uint16_t>(bytes_, at + 6) > bytes_.size())
      fail("an entry at byte " + std::to_string(at) + " of the page", "one within the page");
    return at;
  }

  const LmdbFile& file_;
  uint64_t begin_;
  std::string bytes_;
  bool is_leaf_ = false;
  uint64_t count_ = 0;
};

// The newer one of two heads counts; a program that writes replaces the older one.
LmdbFile::LmdbFile(const Source& source) : source_(source) {
  const std::optional<Meta> first = read_meta(0);
  if (!first)
    refuse(place_of(source, 0), "another head", "that of an LMDB database",
           "name a database of LMDB 0.9: the file data.mdb, or one without a folder");
  const std::optional<Meta> second = read_meta(page_size_);
  meta_ = second && second->transaction > first->transaction ? *second : *first;
  const uint64_t pages = source.size() / page_size_;
  if (meta_.last_page >= pages)
    refuse(source.name(), std::to_string(pages) + " pages", std::to_string(meta_.last_page + 1),
           "the file is cut short; copy or write it again");
  if (meta_.flags & (kReverseKeys | kSortedValues | kIntegerKeys))
    refuse(source.name(), "keys that are integers or reversed, or several values of a key",
           "plain keys and values", "copy the data points into a database without these flags");
  if (meta_.depth > kDeepest)
    refuse(source.name(), "a tree of depth " + std::to_string(meta_.depth), "at most 32", kDamaged);
}

// No value: this is none.
std::optional<LmdbFile::Meta> LmdbFile::read_meta(uint64_t offset) {
  if (source_.size() < kMetaSize + kHead || offset > source_.size() - kMetaSize - kHead)
    return std::nullopt;
  const std::string bytes = source_.read(offset + kHead, kMetaSize);
  const uint32_t page_size = number_at<uint32_t>(bytes, 24);
  const bool is_power = page_size >= 512 && page_size <= 65536 && !(page_size & (page_size - 1));
  if (number_at<uint32_t>(bytes, 0) != kMagic || number_at<uint32_t>(bytes, 4) != kVersion ||
      !is_power || (offset > 0 && page_size != page_size_))
    return std::nullopt;
  page_size_ = page_size;
  constexpr uint64_t kMain = 72;  // the tree of keys, after that of free pages
  return Meta{number_at<uint64_t>(bytes, 128), number_at<uint64_t>(bytes, kMain + 40),
              number_at<uint64_t>(bytes, 120), number_at<uint16_t>(bytes, kMain + 4),
              number_at<uint16_t>(bytes, kMain + 6)};
}

std::optional<LmdbFile::Extent> LmdbFile::find(std::string_view key) const {
  if (meta_.root == kNone) return std::nullopt;
  uint64_t number = meta_.root;
  for (uint16_t depth = 1;; ++depth) {
    const Page page(*this, number);
    if (page.is_leaf()) {
      const uint64_t after = page.nodes_up_to(key, 0);
      if (after == 0 || page.key(after - 1) != key) return std::nullopt;
      return page.value(after - 1);
    }
    if (depth >= meta_.depth) page.fail("a branch at the lowest level", "a leaf");
    // The first key of a branch is empty: it stands for everything below the second.
    number = page.child(page.nodes_up_to(key, 1) - 1);
  }
}

void LmdbFile::each_key(const std::function<void(std::string_view key)>& found) const {
  uint64_t pages_left = source_.size() / page_size_;
  if (meta_.root != kNone) walk(meta_.root, 1, pages_left, found);
}

void LmdbFile::walk(uint64_t number, int depth, uint64_t& pages_left,
                    const std::function<void(std::string_view key)>& found) const {
  const Page page(*this, number);
  if (pages_left-- == 0) page.fail("a page twice in the tree", "each page once");
  if (!page.is_leaf() && depth >= meta_.depth) page.fail("a branch at the lowest level", "a leaf");
  for (uint64_t i = 0; i < page.count(); ++i) {
    if (page.is_leaf())
      found(page.key(i));
    else
      walk(page.child(i), depth + 1, pages_left, found);
  }
}

}  // namespace containers
