// content.hpp: the bytes of a file. It is never mapped into memory: if another process cut it
// short meanwhile, reading it would end the program with SIGBUS.
#pragma once
#include <archive/source.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace files {

// A whole file in memory.
class Content {
 public:
  Content() = default;
  // Throws Error that names the file.
  explicit Content(const std::string& path);

  std::string_view bytes() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
};

// A file of which parts are read again and again. Of one that has at most kMostKept bytes, all that
// was read is kept in memory, since each read from disk is a call of the system and takes a quarter
// of a microsecond.
constexpr uint64_t kMostKept = uint64_t{1} << 28;
std::shared_ptr<const broch::archive::Source> open_source(const std::string& path);

}  // namespace files
