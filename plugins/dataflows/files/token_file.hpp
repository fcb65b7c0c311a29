// token_file.hpp: a long list of whole numbers on disk, such as a tokenized text.
#pragma once
#include <cstdint>
#include <string>

#include "files/mapped_file.hpp"

namespace files {

enum class TokenType { uint8, uint16, uint32, int32, int64 };

class TokenFile {
 public:
  // Numbers, little-endian, behind `header` bytes. A name that ends in .npy: an array of one
  // dimension, which says its type itself.
  TokenFile() = default;
  TokenFile(const std::string& path, TokenType type, uint64_t header);
  // bytes: the content of the file, which must stay.
  static TokenFile parse(std::string_view bytes, const std::string& path, TokenType type,
                         uint64_t header);

  uint64_t size() const { return size_; }
  // first + count is at most size().
  void copy(uint64_t first, uint64_t count, int64_t* to) const;

 private:
  MappedFile file_;
  std::string_view data_;
  TokenType type_ = TokenType::uint8;
  uint64_t size_ = 0;
};

}  // namespace files
