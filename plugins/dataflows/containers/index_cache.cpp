// index_cache.cpp: a line of text that says to which file the index belongs, then the index.
#include "containers/index_cache.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/checksum.hpp"

namespace containers {

namespace fs = std::filesystem;

std::string IndexCache::path_of(const File& file) const {
  if (folder_.empty()) return file.name() + kIndexSuffix;
  // Files of the same name from different folders must not meet.
  const fs::path path = fs::absolute(file.name()).lexically_normal();
  const std::string hash =
      broch::base::xxh128(path.string().data(), path.string().size()).substr(0, 16);
  return (fs::path(folder_) / (path.filename().string() + "-" + hash + kIndexSuffix)).string();
}

std::string IndexCache::head(const File& file, std::string_view index) const {
  return "broch-index 1 " + kind_ + " " + std::to_string(file.size()) + " " +
         std::to_string(file.modified()) + " " + std::to_string(index.size()) + " " +
         std::to_string(broch::base::crc32c(index.data(), index.size())) + "\n";
}

std::optional<std::string> IndexCache::load(const File& file) const {
  std::ifstream stream(path_of(file), std::ios::binary);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  std::string index{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (line + "\n" != head(file, index)) return std::nullopt;
  return index;
}

bool IndexCache::save(const File& file, std::string_view index) const {
  std::error_code ignored;
  if (!folder_.empty()) fs::create_directories(folder_, ignored);
  const std::string path = path_of(file);
  const std::string partial = path + "." + std::to_string(getpid());
  {
    std::ofstream stream(partial, std::ios::binary);
    stream << head(file, index) << index;
    if (!stream.flush()) {
      fs::remove(partial, ignored);
      return false;
    }
  }
  // Ranks may do this at the same time; each one moves a whole file into place.
  if (std::rename(partial.c_str(), path.c_str()) == 0) return true;
  fs::remove(partial, ignored);
  return false;
}

void put_number(std::string& index, uint64_t number) {
  for (int i = 0; i < 8; ++i) index += char(number >> (8 * i) & 255);
}

uint64_t IndexReader::number() {
  const std::string_view eight = text(8);
  uint64_t value = 0;
  for (size_t i = eight.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(eight[i]);
  return value;
}

std::string_view IndexReader::text(uint64_t size) {
  if (size > bytes_.size()) {
    ok_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

}  // namespace containers
