// binary_data.cpp: takes no byte that is not there.
#include "binary_data.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "datatype.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

std::optional<uint32_t> length_in(std::string_view bytes) {
  uint32_t length = 0;
  if (bytes.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, bytes.data(), sizeof length);
  return length;
}

}  // namespace

std::string_view BinaryData::take(size_t size, const std::string& where) {
  if (size > left_.size())
    refuse(kBadRequest, where, std::to_string(left_.size()) + " bytes after the JSON",
           std::to_string(size), "is Inference-Header-Content-Length right?");
  const std::string_view bytes = left_.substr(0, size);
  left_.remove_prefix(size);
  return bytes;
}

const std::byte* BinaryData::take_tensor(const runtime::TensorInfo& info, size_t size,
                                         const std::string& where) {
  const size_t expected = bytes_of(info, where);
  if (size != expected)
    refuse(kBadRequest, where, std::to_string(size) + " bytes of binary data",
           std::to_string(expected) + " for shape " + runtime::to_string(info.shape));
  const std::string_view bytes = take(size, where);
  if (info.dtype == BROCH_BOOL && std::ranges::any_of(bytes, [](char byte) { return byte & ~1; }))
    refuse(kBadRequest, where, "a byte other than 0 and 1", "these for BOOL");
  return reinterpret_cast<const std::byte*>(bytes.data());
}

std::vector<std::string_view> BinaryData::take_files(int64_t count, size_t size,
                                                     const std::string& where) {
  std::vector<std::string_view> files;
  std::string_view bytes = take(size, where);
  while (!bytes.empty()) {
    const std::optional<uint32_t> length = length_in(bytes);
    if (!length || *length > bytes.size() - sizeof *length)
      refuse(kBadRequest, where, "binary data that end within file " + std::to_string(files.size()),
             "the length of each file in four bytes before it");
    if (int64_t(files.size()) == count)
      refuse(kBadRequest, where, "more than that many files",
             std::to_string(count) + " for its shape");
    files.push_back(bytes.substr(sizeof *length, *length));
    bytes.remove_prefix(sizeof *length + *length);
  }
  if (int64_t(files.size()) != count)
    refuse(kBadRequest, where, std::to_string(files.size()) + " files",
           std::to_string(count) + " for its shape");
  return files;
}

}  // namespace broch::serve
