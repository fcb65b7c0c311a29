// writer.cpp: the forms that point.cpp reads, with lengths in their widest form except
// for strings.
#include "msgpack/writer.hpp"

#include <broch/cpp/error.hpp>

namespace msgpack {
namespace {

void put_big_endian(std::string& bytes, uint64_t value, int width) {
  for (int i = width - 1; i >= 0; --i) bytes += char(value >> (8 * i) & 255);
}
// small: the first code, for sizes of one byte; two and four bytes follow it.
void put_string(std::string& bytes, int small, std::string_view text) {
  const uint64_t size = text.size();
  if (size >> 32)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "found a component of " + std::to_string(size) +
                           " bytes, expected less than 2^32, which is the limit of MessagePack; "
                           "divide it");
  const int step = size < 256 ? 0 : size < 65536 ? 1 : 2;
  bytes += char(small + step);
  put_big_endian(bytes, size, 1 << step);
  bytes += text;
}
void put_binary(std::string& bytes, std::string_view text) { put_string(bytes, 0xc4, text); }
void put_text(std::string& bytes, std::string_view text) { put_string(bytes, 0xd9, text); }
void put_count(std::string& bytes, int code, uint64_t count) {
  bytes += char(code);
  put_big_endian(bytes, count, 4);
}

void put_component(std::string& bytes, const containers::Component& component) {
  bytes += char(0x85);  // a map of five pairs
  put_binary(bytes, "nd");
  bytes += char(0xc3);
  put_binary(bytes, "type");
  put_text(bytes, containers::descr_of(component.type));
  put_binary(bytes, "kind");
  put_binary(bytes, "");
  put_binary(bytes, "shape");
  put_count(bytes, 0xdd, component.shape.size());
  for (const int64_t extent : component.shape) {
    bytes += char(0xd3);
    put_big_endian(bytes, uint64_t(extent), 8);
  }
  put_binary(bytes, "data");
  put_binary(bytes, component.bytes());
}

}  // namespace

std::string text_of(const std::vector<containers::Named>& point) {
  const bool is_map = !point.empty() && !point[0].name.empty();
  std::string bytes;
  put_count(bytes, is_map ? 0xdf : 0xdd, point.size());
  for (const containers::Named& named : point) {
    if (is_map) put_text(bytes, named.name);
    put_component(bytes, named.component);
  }
  return bytes;
}

std::string text_of(const std::vector<std::string>& keys) {
  std::string bytes;
  put_count(bytes, 0xdd, keys.size());
  for (const std::string& key : keys) put_binary(bytes, key);
  return bytes;
}

}  // namespace msgpack
