// proto.hpp: messages of protobuf (https://protobuf.dev/programming-guides/encoding), and the parts
// of an ONNX model of which there are many.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "broch/value.h"

namespace broch::onnx {

class Message {
 public:
  Message& integer(int field, int64_t value);
  Message& floating(int field, float value);
  Message& text(int field, std::string_view value);
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value);
  std::string bytes_;
};

// TensorProto.DataType; 0: ONNX does not have this dtype.
int data_type(broch_dtype dtype);

// TensorProto with its elements inside.
Message tensor(const std::string& name, broch_dtype dtype, const std::vector<int64_t>& shape,
               std::string_view bytes);

// AttributeProto.
Message attribute(const char* name, int64_t value);
Message attribute(const char* name, int value);
Message attribute(const char* name, double value);
Message attribute(const char* name, const char* value);
Message attribute(const char* name, const std::vector<int64_t>& values);

}  // namespace broch::onnx
