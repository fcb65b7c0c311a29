// wire.hpp: a message of Protocol Buffers as a list of fields. Source: protobuf.dev, "Encoding".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace containers {

enum Wire : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// The bytes of one message of a record, which is a message as well. Functions throw Error if the
// bytes are no message.
class Message {
 public:
  struct Record {
    const char* begin;
    std::string place, hint;  // for messages of errors
  };
  // record: borrowed.
  Message(std::string_view bytes, const Record& record) : bytes_(bytes), record_(&record) {}

  bool at_end() const { return bytes_.empty(); }

  struct Field {
    uint64_t number;
    uint32_t wire;
    uint64_t varint;         // of kVarint
    std::string_view bytes;  // of the others, borrowed
  };
  Field next();
  uint64_t varint();

  // The message in a field of this one.
  Message inside(std::string_view bytes) const { return {bytes, *record_}; }
  // bytes: packed floats.
  void append_floats(std::string_view bytes, std::vector<float>& values) const;
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;

 private:
  std::string_view take(uint64_t size);

  std::string_view bytes_;
  const Record* record_;
};

}  // namespace containers
