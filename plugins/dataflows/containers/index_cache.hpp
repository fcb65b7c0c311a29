// index_cache.hpp: index files: the result of reading a whole data file once, saved for later runs.
#pragma once
#include <archive/source.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace containers {

using broch::archive::File;

inline constexpr const char* kIndexSuffix = ".broch-idx";

// An index is stored as FILE.broch-idx, beside the file or in a folder. It is valid as long as the
// size and the time of the last change of the file stay as they are.
class IndexCache {
 public:
  // folder "": beside the file. kind: which index, one word; another kind is never loaded.
  IndexCache(std::string folder, std::string kind)
      : folder_(std::move(folder)), kind_(std::move(kind)) {}

  std::string path_of(const File& file) const;
  // No value: there is none, or it is not valid or damaged.
  std::optional<std::string> load(const File& file) const;
  // False: it could not be stored, for example since the folder is read-only.
  bool save(const File& file, std::string_view index) const;

 private:
  // The first line of the index.
  std::string head(const File& file, std::string_view index) const;

  std::string folder_, kind_;
};

// Numbers in an index: eight bytes, the least significant first.
void put_number(std::string& index, uint64_t number);

// Reads them again. After the end of the bytes, ok() is false and all numbers are 0.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : bytes_(bytes) {}
  uint64_t number();
  // The next bytes; none if fewer are left.
  std::string_view text(uint64_t size);
  // How many numbers can still follow: a limit for lengths that were read.
  uint64_t left() const { return bytes_.size() / 8; }
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace containers
