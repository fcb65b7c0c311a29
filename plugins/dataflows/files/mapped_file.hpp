// mapped_file.hpp: a whole file as bytes in memory, of which only what is used is read.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace files {

// The pages are shared with the cache of the system, so a file that is larger than memory is fine.
// Nobody may cut the file short meanwhile: reading what is gone ends the program.
class MappedFile {
 public:
  MappedFile() = default;
  // Throws Error that names the file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// An open file, to read it as a whole into memory of somebody else.
class OpenFile {
 public:
  // what: named in messages after the file, such as ", image 17".
  explicit OpenFile(const std::string& path, const std::string& what = "");
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  // Fills all size() bytes. Throws Error if the file ends before.
  void read(char* to) const;

 private:
  std::string place_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace files
