// wire.cpp: varints, and fields of a known length.
#include "containers/wire.hpp"

#include <cstring>

#include "arrays/diagnostic.hpp"

namespace containers {

Message::Field Message::next() {
  Field field{};
  const uint64_t tag = varint();
  field.number = tag >> 3;
  field.wire = uint32_t(tag & 7);
  if (field.wire == kVarint)
    field.varint = varint();
  else if (field.wire == kBytes)
    field.bytes = take(varint());
  else if (field.wire == kFixed64 || field.wire == kFixed32)
    field.bytes = take(field.wire == kFixed64 ? 8 : 4);
  else
    fail("a field of wire type " + std::to_string(field.wire), "0, 1, 2 or 5");
  return field;
}

uint64_t Message::varint() {
  uint64_t value = 0;
  for (size_t i = 0; i < 10; ++i) {
    if (i == bytes_.size()) fail("the end of the message", "a number");
    const unsigned char byte = static_cast<unsigned char>(bytes_[i]);
    value |= uint64_t(byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    bytes_.remove_prefix(i + 1);
    return value;
  }
  fail("a number of more than ten bytes", "at most ten");
}

std::string_view Message::take(uint64_t size) {
  if (size > bytes_.size())
    fail("a field of " + std::to_string(size) + " bytes",
         "at most the " + std::to_string(bytes_.size()) + " that follow");
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

void Message::append_floats(std::string_view bytes, std::vector<float>& values) const {
  if (bytes.size() % 4 != 0)
    fail("a list of floats of " + std::to_string(bytes.size()) + " bytes", "a multiple of 4");
  const size_t before = values.size();
  values.resize(before + bytes.size() / 4);
  if (!bytes.empty()) std::memcpy(values.data() + before, bytes.data(), bytes.size());
}

void Message::fail(const std::string& found, const std::string& expected) const {
  arrays::refuse(record_->place + ", byte " + std::to_string(bytes_.data() - record_->begin) +
                     " of the record",
                 found, expected, record_->hint);
}

}  // namespace containers
