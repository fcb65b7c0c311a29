// lmdb_file.hpp: reads an LMDB database without liblmdb, which trusts the bytes of its files and so
// crashes where they are damaged.
#pragma once
#include <archive/source.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace containers {

using broch::archive::Source;

// Const functions can be called from any thread. The database must not be written meanwhile.
class LmdbFile {
 public:
  // source: data.mdb, or a file made without a folder; borrowed. Throws Error if it is no database
  // of LMDB 0.9, is cut short, or has keys in another order than that of their bytes.
  explicit LmdbFile(const Source& source);

  // Where the value of a key lies in the file.
  struct Extent {
    uint64_t offset, size;
  };
  // No value: there is no such key. Throws Error if the database is damaged.
  std::optional<Extent> find(std::string_view key) const;
  // Calls found for each key, in order; the key is borrowed for the call.
  void each_key(const std::function<void(std::string_view key)>& found) const;

 private:
  class Page;
  struct Meta {
    uint64_t transaction, root, last_page;
    uint16_t flags, depth;
  };
  std::optional<Meta> read_meta(uint64_t offset);
  void walk(uint64_t page, int depth, uint64_t& pages_left,
            const std::function<void(std::string_view key)>& found) const;

  const Source& source_;
  uint64_t page_size_ = 0;
  Meta meta_{};
};

}  // namespace containers
