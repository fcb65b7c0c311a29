// proto.cpp: fields of protobuf. The numbers are those of onnx.proto.
#include "proto.hpp"

#include <bit>

namespace broch::onnx {
namespace {

enum WireType : uint8_t { varint_type = 0, length_type = 2, fixed32_type = 5 };
enum AttributeType : uint8_t {
  float_attribute = 1,
  int_attribute,
  string_attribute,
  ints_attribute = 7
};

Message named(const char* name, AttributeType type) {
  Message message;
  message.text(1, name).integer(20, type);
  return message;
}

}  // namespace

void Message::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += char(value | 0x80);
  bytes_ += char(value);
}
Message& Message::integer(int field, int64_t value) {
  varint(uint64_t(field) << 3 | varint_type);
  varint(uint64_t(value));
  return *this;
}
Message& Message::floating(int field, float value) {
  varint(uint64_t(field) << 3 | fixed32_type);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) bytes_ += char(bits >> shift);
  return *this;
}
Message& Message::text(int field, std::string_view value) {
  varint(uint64_t(field) << 3 | length_type);
  varint(value.size());
  bytes_ += value;
  return *this;
}

int data_type(broch_dtype dtype) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return 1;
    case BROCH_UINT8:
      return 2;
    case BROCH_INT8:
      return 3;
    case BROCH_INT16:
      return 5;
    case BROCH_INT32:
      return 6;
    case BROCH_INT64:
      return 7;
    case BROCH_BOOL:
      return 9;
    case BROCH_FLOAT16:
      return 10;
    case BROCH_FLOAT64:
      return 11;
    case BROCH_BFLOAT16:
      return 16;
    default:
      return 0;
  }
}

Message tensor(const std::string& name, broch_dtype dtype, const std::vector<int64_t>& shape,
               std::string_view bytes) {
  Message message;
  for (const int64_t size : shape) message.integer(1, size);
  message.integer(2, data_type(dtype)).text(8, name).text(9, bytes);
  return message;
}

Message attribute(const char* name, int64_t value) {
  return named(name, int_attribute).integer(3, value);
}
Message attribute(const char* name, int value) { return attribute(name, int64_t{value}); }
Message attribute(const char* name, double value) {
  return named(name, float_attribute).floating(2, float(value));
}
Message attribute(const char* name, const char* value) {
  return named(name, string_attribute).text(4, value);
}
Message attribute(const char* name, const std::vector<int64_t>& values) {
  Message message = named(name, ints_attribute);
  for (const int64_t value : values) message.integer(8, value);
  return message;
}

}  // namespace broch::onnx
