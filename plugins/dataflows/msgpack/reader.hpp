// reader.hpp: MessagePack, read piece by piece. Source: the specification of msgpack.org.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace msgpack {

enum class Type { nil, boolean, integer, real, text, bytes, list, map, extension };

// One piece. After a list come its elements, after a map its keys and values in turn.
struct Item {
  Type type;
  uint64_t at = 0;         // its first byte in the message
  bool flag = false;       // boolean
  int64_t integer = 0;     // integer
  double real = 0;         // real
  std::string_view bytes;  // text, bytes, extension: borrowed from the message
  uint64_t count = 0;      // list: elements; map: pairs
};
// "a list of 3", "the text 'nd'", for messages.
std::string described(const Item& item);

class Reader {
 public:
  // message: borrowed. place: its name in messages.
  Reader(std::string_view message, std::string place)
      : message_(message), place_(std::move(place)) {}

  // Throws broch::Error if the message ends within the piece, or if it is none. A count is at most
  // the number of bytes that are left.
  Item next();
  // Passes over the rest of an item: the elements of a list, or the pairs of a map.
  void pass_over(const Item& item);
  uint64_t offset() const { return offset_; }
  // Continues at an offset at which it was before.
  void go_back(uint64_t offset) { offset_ = offset; }
  bool at_end() const { return offset_ == message_.size(); }

  // Throws broch::Error about the byte at.
  [[noreturn]] void refuse(uint64_t at, const std::string& found, const std::string& expected,
                           const std::string& next) const;

 private:
  std::string_view take(uint64_t size);
  uint64_t big_endian(size_t size);
  void read_sized(Item& item, Type type, uint64_t size);
  void read_counted(Item& item, Type type, uint64_t count);
  void read_integer(Item& item, size_t size, bool is_signed);

  std::string_view message_;
  std::string place_;
  uint64_t offset_ = 0;
};

}  // namespace msgpack
