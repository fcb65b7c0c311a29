// token_file.cpp: bounds once when the file is opened, then copies.
#include "files/token_file.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "arrays/diagnostic.hpp"
#include "arrays/npy.hpp"
#include "files/content.hpp"

namespace files {
namespace {

using arrays::quoted;
using arrays::refuse;

constexpr uint64_t kSizes[] = {1, 2, 4, 4, 8};

std::optional<TokenType> type_of(const std::string& descr) {
  static constexpr const char* kDescr[] = {"|u1", "<u2", "<u4", "<i4", "<i8"};
  for (size_t i = 0; i < std::size(kDescr); ++i)
    if (descr == kDescr[i]) return TokenType(i);
  return std::nullopt;
}

template <class T>
void widen(const char* from, uint64_t count, int64_t* to) {
  for (uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    to[i] = int64_t(value);
  }
}

}  // namespace

TokenFile::TokenFile(std::shared_ptr<const broch::archive::Source> file, TokenType type,
                     uint64_t header)
    : file_(std::move(file)), begin_(header), type_(type) {
  const std::string& path = file_->name();
  if (path.ends_with(".npy")) {
    const broch::archive::NpyHeader npy = broch::archive::parse_npy_header(
        file_->read(0, std::min(file_->size(), broch::archive::kLongestNpyHeader)), path);
    const std::optional<TokenType> found = type_of(npy.descr);
    if (!found || npy.shape.size() != 1)
      refuse(path,
             "elements of type " + quoted(npy.descr) + " in " + std::to_string(npy.shape.size()) +
                 " dimensions",
             "|u1 <u2 <u4 <i4 or <i8 in one", "save array.reshape(-1).astype('uint32')");
    type_ = *found;
    begin_ = npy.offset;
    size_ = arrays::count_elements(npy, kSizes[size_t(type_)], file_->size(), path);
    return;
  }
  if (begin_ > file_->size())
    refuse(path, std::to_string(file_->size()) + " bytes",
           "a header of " + std::to_string(begin_) + " bytes", "correct the option header");
  const uint64_t bytes = file_->size() - begin_, size = kSizes[size_t(type_)];
  if (bytes % size != 0)
    refuse(path, std::to_string(bytes) + " bytes of tokens",
           "a multiple of " + std::to_string(size), "correct the option dtype, or copy it again");
  size_ = bytes / size;
}

TokenFile::TokenFile(const std::string& path, TokenType type, uint64_t header)
    : TokenFile(open_source(path), type, header) {}

template <class T>
void TokenFile::copy_as(uint64_t first, uint64_t count, int64_t* to, int64_t* next) const {
  const uint64_t at = begin_ + first * sizeof(T);
  if (const char* const kept = file_->at(at, (count + (next != nullptr)) * sizeof(T))) {
    widen<T>(kept, count, to);
    if (next) widen<T>(kept + sizeof(T), count, next);
    return;
  }
  char piece[8192];
  constexpr uint64_t kMost = sizeof piece / sizeof(T) - 1;
  for (uint64_t done = 0; done < count;) {
    const uint64_t n = std::min(count - done, kMost);
    file_->read(at + done * sizeof(T), piece, (n + (next != nullptr)) * sizeof(T));
    widen<T>(piece, n, to + done);
    if (next) widen<T>(piece + sizeof(T), n, next + done);
    done += n;
  }
}

void TokenFile::copy(uint64_t first, uint64_t count, int64_t* to, int64_t* next) const {
  switch (type_) {
    case TokenType::uint8:
      return copy_as<uint8_t>(first, count, to, next);
    case TokenType::uint16:
      return copy_as<uint16_t>(first, count, to, next);
    case TokenType::uint32:
      return copy_as<uint32_t>(first, count, to, next);
    case TokenType::int32:
      return copy_as<int32_t>(first, count, to, next);
    case TokenType::int64:
      return copy_as<int64_t>(first, count, to, next);
  }
}

}  // namespace files
