// token_file.hpp: a long list of whole numbers on disk, such as a tokenized text.
#pragma once
#include <archive/source.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace files {

enum class TokenType { uint8, uint16, uint32, int32, int64 };

class TokenFile {
 public:
  // Numbers, little-endian, behind `header` bytes. A name that ends in .npy: an array of one
  // dimension, which says its type itself.
  TokenFile() = default;
  TokenFile(const std::string& path, TokenType type, uint64_t header);
  TokenFile(std::shared_ptr<const broch::archive::Source> file, TokenType type, uint64_t header);

  uint64_t size() const { return size_; }
  // The tokens from `first` on. next, unless null: gets the token after each of them. All of these
  // are below size().
  void copy(uint64_t first, uint64_t count, int64_t* to, int64_t* next = nullptr) const;

 private:
  template <class T>
  void copy_as(uint64_t first, uint64_t count, int64_t* to, int64_t* next) const;

  std::shared_ptr<const broch::archive::Source> file_;
  uint64_t begin_ = 0;  // of the first token, in bytes
  TokenType type_ = TokenType::uint8;
  uint64_t size_ = 0;
};

}  // namespace files
