// reader.cpp: the bytes of MessagePack.
#include "msgpack/reader.hpp"

#include <bit>

#include "arrays/diagnostic.hpp"

namespace msgpack {
namespace {

const char* const kDamaged =
    "the message is damaged, or no MessagePack (which tensorpack writes with "
    "TENSORPACK_SERIALIZE=msgpack)";

}  // namespace

std::string described(const Item& item) {
  switch (item.type) {
    case Type::nil:
      return "nil";
    case Type::boolean:
      return item.flag ? "true" : "false";
    case Type::integer:
      return "the integer " + std::to_string(item.integer);
    case Type::real:
      return "the number " + std::to_string(item.real);
    case Type::text:
      return "the text " + arrays::quoted(item.bytes);
    case Type::bytes:
      return "the bytes " + arrays::quoted(item.bytes);
    case Type::list:
      return "a list of " + std::to_string(item.count);
    case Type::map:
      return "a map of " + std::to_string(item.count);
    default:
      return "an extension";
  }
}

void Reader::refuse(uint64_t at, const std::string& found, const std::string& expected,
                    const std::string& next) const {
  arrays::refuse(place_ + ": byte " + std::to_string(at), found, expected, next);
}

std::string_view Reader::take(uint64_t size) {
  const uint64_t left = message_.size() - offset_;
  if (size > left)
    refuse(offset_, "the end after " + std::to_string(left) + " bytes",
           std::to_string(size) + " bytes", kDamaged);
  const std::string_view bytes = message_.substr(offset_, size);
  offset_ += size;
  return bytes;
}

uint64_t Reader::big_endian(size_t size) {
  uint64_t value = 0;
  for (const char c : take(size)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

void Reader::read_sized(Item& item, Type type, uint64_t size) {
  item.type = type;
  item.bytes = take(size);
}

void Reader::read_counted(Item& item, Type type, uint64_t count) {
  item.type = type;
  item.count = count;
  // Each element takes a byte at least, so that a caller can reserve room for them.
  const uint64_t left = message_.size() - offset_;
  if (count * (type == Type::map ? 2 : 1) > left)
    refuse(item.at, described(item),
           "no more elements than the " + std::to_string(left) + " bytes that are left", kDamaged);
}

void Reader::read_integer(Item& item, size_t size, bool is_signed) {
  item.type = Type::integer;
  const uint64_t value = big_endian(size);
  const unsigned unused = 64 - 8 * unsigned(size);
  if (is_signed)
    item.integer = int64_t(value << unused) >> unused;
  else if (value <= uint64_t(INT64_MAX))
    item.integer = int64_t(value);
  else
    refuse(item.at, "the integer " + std::to_string(value), "at most " + std::to_string(INT64_MAX),
           "convert it, for example with numpy.int64(number)");
}

Item Reader::next() {
  Item item{};
  item.at = offset_;
  const auto code = unsigned(big_endian(1));
  if (code <= 0x7f || code >= 0xe0) {
    item.type = Type::integer;
    item.integer = static_cast<int8_t>(code);  // NOLINT(bugprone-signed-char-misuse): a number
  } else if (code <= 0x8f) {
    read_counted(item, Type::map, code & 15);
  } else if (code <= 0x9f) {
    read_counted(item, Type::list, code & 15);
  } else if (code <= 0xbf) {
    read_sized(item, Type::text, code & 31);
  } else if (code == 0xc0) {
    item.type = Type::nil;
  } else if (code == 0xc2 || code == 0xc3) {
    item.type = Type::boolean;
    item.flag = code == 0xc3;
  } else if (code >= 0xc4 && code <= 0xc6) {
    read_sized(item, Type::bytes, big_endian(size_t{1} << (code - 0xc4)));
  } else if (code >= 0xc7 && code <= 0xc9) {
    const uint64_t size = big_endian(size_t{1} << (code - 0xc7));
    take(1);  // the type of the extension
    read_sized(item, Type::extension, size);
  } else if (code == 0xca) {
    item.type = Type::real;
    item.real = double(std::bit_cast<float>(uint32_t(big_endian(4))));
  } else if (code == 0xcb) {
    item.type = Type::real;
    item.real = std::bit_cast<double>(big_endian(8));
  } else if (code >= 0xcc && code <= 0xcf) {
    read_integer(item, size_t{1} << (code - 0xcc), false);
  } else if (code >= 0xd0 && code <= 0xd3) {
    read_integer(item, size_t{1} << (code - 0xd0), true);
  } else if (code >= 0xd4 && code <= 0xd8) {
    take(1);
    read_sized(item, Type::extension, uint64_t{1} << (code - 0xd4));
  } else if (code >= 0xd9 && code <= 0xdb) {
    read_sized(item, Type::text, big_endian(size_t{1} << (code - 0xd9)));
  } else if (code == 0xdc || code == 0xdd) {
    read_counted(item, Type::list, big_endian(code == 0xdc ? 2 : 4));
  } else if (code == 0xde || code == 0xdf) {
    read_counted(item, Type::map, big_endian(code == 0xde ? 2 : 4));
  } else {
    refuse(item.at, "the code 0xc1", "a piece of MessagePack", kDamaged);
  }
  return item;
}

void Reader::pass_over(const Item& item) {
  // Counted and not called recursively: the depth is that of the message.
  uint64_t left = item.type == Type::map ? 2 * item.count : item.count;
  while (left > 0) {
    const Item inner = next();
    left += (inner.type == Type::map ? 2 * inner.count : inner.count);
    --left;
  }
}

}  // namespace msgpack
