// zip_writer.hpp: a zip archive of uncompressed files, as NumPy's savez makes it. Equal members
// give equal bytes.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::archive {

class ZipWriter {
 public:
  // write: appends to the file.
  using Write = std::function<void(std::string_view bytes)>;
  explicit ZipWriter(Write write) : write_(std::move(write)) {}

  // Begins a member. The caller then appends its `size` bytes, whose CRC-32 this is.
  void begin(const std::string& name, uint64_t size, uint32_t crc);
  void append(std::string_view bytes);
  void finish();

 private:
  struct Member {
    std::string name;
    uint32_t crc;
    uint64_t size, offset;
  };

  Write write_;
  uint64_t written_ = 0;
  std::vector<Member> members_;
};

}  // namespace broch::archive
