// wire.hpp: protobuf's wire format, written and read by hand.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace broch::store {

// Wire types of the protobuf encoding.
enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Writes the fields of a message one after the other.
class Message {
 public:
  void varint(uint64_t field, uint64_t value) {
    key(field, kVarint);
    raw_varint(value);
  }
  void fixed64(uint64_t field, double value) {
    key(field, kFixed64);
    raw(&value, sizeof value);
  }
  void fixed32(uint64_t field, float value) {
    key(field, kFixed32);
    raw(&value, sizeof value);
  }
  void bytes(uint64_t field, std::string_view value) {
    key(field, kBytes);
    raw_varint(value.size());
    text_ += value;
  }
  template <class Fixed>
  void packed(uint64_t field, const std::vector<Fixed>& values) {
    bytes(field, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Fixed)});
  }
  const std::string& text() const { return text_; }

 private:
  static_assert(std::endian::native == std::endian::little, "fixed fields are little-endian");

  void key(uint64_t field, Wire wire) { raw_varint(field << 3 | wire); }
  void raw(const void* value, size_t size) { text_.append(static_cast<const char*>(value), size); }
  void raw_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

struct Field {
  uint64_t number = 0;
  Wire wire = kVarint;
  uint64_t number_value = 0;  // the varint, or the bits of a fixed field
  std::string_view bytes;     // of kBytes
};

// Reads the fields of a message. Throws Error(data) at `where` if they are malformed.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& where) : rest_(bytes), where_(where) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t key = varint();
    Field field;
    field.number = key >> 3;
    field.wire = static_cast<Wire>(key & 7);
    switch (field.wire) {
      case kVarint:
        field.number_value = varint();
        break;
      case kFixed64:
        field.number_value = fixed(8);
        break;
      case kFixed32:
        field.number_value = fixed(4);
        break;
      case kBytes:
        field.bytes = take(varint());
        break;
      default:
        malformed();
    }
    return field;
  }

 private:
  [[noreturn]] void malformed() const {
    throw base::Error(base::Exit::data,
                      base::Diagnostic{where_, "a malformed event", "a protobuf message Event",
                                       "the file is damaged or no event file"});
  }

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) malformed();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  uint64_t fixed(size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, take(size).data(), size);
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    malformed();
  }

  std::string_view rest_;
  const std::string& where_;
};

}  // namespace broch::store
