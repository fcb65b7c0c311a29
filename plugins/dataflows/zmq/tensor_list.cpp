// tensor_list.cpp: the bytes of a list of tensors.
#include "zmq/tensor_list.hpp"

#include <broch/cpp/dtype.hpp>
#include <cstring>
#include <optional>

#include "arrays/diagnostic.hpp"

namespace zmq_ops {
namespace {

constexpr int32_t kMostTensors = 1024;
const char* const kSend = "send the points with format='zmq_ops'";

// Of the numbers of TensorFlow's DataType, those that Broch has, too.
broch_dtype dtype_of(int32_t number) {
  switch (number) {
    case 1:
      return BROCH_FLOAT32;
    case 2:
      return BROCH_FLOAT64;
    case 3:
      return BROCH_INT32;
    case 4:
      return BROCH_UINT8;
    case 5:
      return BROCH_INT16;
    case 6:
      return BROCH_INT8;
    case 8:
      return BROCH_COMPLEX64;
    case 9:
      return BROCH_INT64;
    case 10:
      return BROCH_BOOL;
    case 14:
      return BROCH_BFLOAT16;
    case 18:
      return BROCH_COMPLEX128;
    case 19:
      return BROCH_FLOAT16;
    default:
      return 0;
  }
}

class Parser {
 public:
  Parser(std::string_view message, const std::string& place) : message_(message), place_(place) {}

  std::vector<containers::Named> point() {
    std::vector<containers::Named> point;
    const auto count = number<int32_t>("the number of tensors");
    if (count < 1 || count > kMostTensors)
      refuse(std::to_string(count) + " tensors", "1 to " + std::to_string(kMostTensors), kSend);
    for (int32_t i = 0; i < count; ++i) point.push_back({"", tensor()});
    if (offset_ != message_.size())
      refuse(std::to_string(message_.size() - offset_) + " more bytes", "the end", kSend);
    return point;
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected,
                           const std::string& next) const {
    arrays::refuse(place_ + ": byte " + std::to_string(offset_), found, expected, next);
  }

  std::string_view take(uint64_t size, const char* what) {
    if (size > message_.size() - offset_)
      refuse("the end after " + std::to_string(message_.size() - offset_) + " bytes",
             std::to_string(size) + " bytes of " + what, kSend);
    const std::string_view bytes = message_.substr(offset_, size);
    offset_ += size;
    return bytes;
  }

  template <class T>
  T number(const char* what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  containers::Component tensor() {
    const auto code = number<int32_t>("a dtype");
    const broch_dtype dtype = dtype_of(code);
    if (!dtype)
      refuse("dtype " + std::to_string(code) + " of TensorFlow", "one that Broch has",
             "convert the array, for example with astype('int32')");
    containers::Component made{broch::dl_type(dtype), {}, {}, {}};
    const auto rank = number<int32_t>("a number of dimensions");
    if (rank < 0 || rank > BROCH_RANK_MAX)
      refuse(std::to_string(rank) + " dimensions", "0 to " + std::to_string(BROCH_RANK_MAX), kSend);
    for (int32_t i = 0; i < rank; ++i) made.shape.push_back(number<int32_t>("a shape"));
    const std::optional<uint64_t> needed = containers::byte_count(made.type, made.shape);
    if (!needed)
      refuse("a negative size of a dimension, or sizes whose product is too large",
             "sizes from 0 whose product fits into memory", kSend);
    const auto size = number<int64_t>("a number of bytes");
    if (size < 0 || uint64_t(size) != *needed)
      refuse(std::to_string(size) + " bytes of elements",
             std::to_string(*needed) + " for dtype and shape", kSend);
    made.borrowed = take(*needed, "elements");
    return made;
  }

  std::string_view message_;
  std::string place_;
  uint64_t offset_ = 0;
};

}  // namespace

std::vector<containers::Named> parse_point(std::string_view message, const std::string& place) {
  return Parser(message, place).point();
}

}  // namespace zmq_ops
