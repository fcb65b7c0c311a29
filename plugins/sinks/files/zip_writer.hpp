// zip_writer.hpp: a zip archive of uncompressed files, as NumPy's savez makes it.
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace files {

class ZipWriter {
 public:
  // Throws broch::Error if the file cannot be made.
  explicit ZipWriter(std::string path);
  // Copies a file into the archive. Throws broch::Error.
  void add(const std::string& name, const std::string& file);
  void finish();

 private:
  struct Member {
    std::string name;
    uint32_t crc;
    uint64_t size, offset;
  };
  void write(const std::string& bytes);

  std::string path_;
  std::ofstream stream_;
  uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace files
