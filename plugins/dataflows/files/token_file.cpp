// token_file.cpp: bounds once when the file is opened, then plain copies.
#include "files/token_file.hpp"

#include <cstring>
#include <optional>

#include "arrays/diagnostic.hpp"
#include "arrays/npy.hpp"

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

TokenFile TokenFile::parse(std::string_view bytes, const std::string& path, TokenType type,
                           uint64_t header) {
  TokenFile tokens;
  tokens.type_ = type;
  if (path.ends_with(".npy")) {
    const arrays::NpyHeader npy = arrays::parse_npy_header(bytes, path);
    const std::optional<TokenType> found = type_of(npy.descr);
    if (!found || npy.shape.size() != 1)
      refuse(path,
             "elements of type " + quoted(npy.descr) + " in " + std::to_string(npy.shape.size()) +
                 " dimensions",
             "|u1 <u2 <u4 <i4 or <i8 in one", "save array.reshape(-1).astype('uint32')");
    tokens.type_ = *found;
    header = npy.offset;
  }
  if (header > bytes.size())
    refuse(path, std::to_string(bytes.size()) + " bytes",
           "a header of " + std::to_string(header) + " bytes", "correct the option header");
  tokens.data_ = bytes.substr(header);
  const uint64_t size = kSizes[size_t(tokens.type_)];
  if (tokens.data_.size() % size != 0)
    refuse(path, std::to_string(tokens.data_.size()) + " bytes of tokens",
           "a multiple of " + std::to_string(size), "correct the option dtype, or copy it again");
  tokens.size_ = tokens.data_.size() / size;
  return tokens;
}

TokenFile::TokenFile(const std::string& path, TokenType type, uint64_t header) {
  MappedFile file(path);
  *this = parse(file.bytes(), path, type, header);
  file_ = std::move(file);
}

void TokenFile::copy(uint64_t first, uint64_t count, int64_t* to) const {
  const char* const from = data_.data() + first * kSizes[size_t(type_)];
  switch (type_) {
    case TokenType::uint8:
      return widen<uint8_t>(from, count, to);
    case TokenType::uint16:
      return widen<uint16_t>(from, count, to);
    case TokenType::uint32:
      return widen<uint32_t>(from, count, to);
    case TokenType::int32:
      return widen<int32_t>(from, count, to);
    case TokenType::int64:
      return widen<int64_t>(from, count, to);
  }
}

}  // namespace files
