// shards.hpp: one file, or several of about the same size: FILE-000000.tar, FILE-000001.tar, …
#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace files {

class Shards {
 public:
  // size: bytes after which a new file begins; 0: there is one file.
  Shards(std::string path, int64_t size) : path_(std::move(path)), size_(uint64_t(size)) {}

  // Whether the next point, which takes this many bytes, needs a new file. True for the first one.
  bool needs_next(uint64_t bytes) {
    const bool first = count_ == 0;
    if (!first && (size_ == 0 || written_ == 0 || written_ + bytes <= size_)) {
      written_ += bytes;
      return false;
    }
    written_ = bytes;
    return true;
  }
  // The path of the next file.
  std::string next() {
    const std::filesystem::path whole(path_);
    char number[16];
    std::snprintf(number, sizeof number, "-%06llu", static_cast<unsigned long long>(count_++));
    if (size_ == 0) return path_;
    const std::string name = whole.stem().string() + number + whole.extension().string();
    return (whole.parent_path() / name).string();
  }

 private:
  std::string path_;
  uint64_t size_, written_ = 0, count_ = 0;
};

}  // namespace files
