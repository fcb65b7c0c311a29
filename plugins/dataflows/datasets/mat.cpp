// mat.cpp: "MAT-File Format", MathWorks, chapter 1: a header of 128 bytes, then elements, each with
// a tag of type and size. A matrix is an element that consists of elements.
#include "datasets/mat.hpp"

#include <algorithm>
#include <archive/inflate.hpp>
#include <cstring>

#include "arrays/diagnostic.hpp"

namespace datasets {
namespace {

using arrays::quoted;
using arrays::refuse;

constexpr uint64_t kHeader = 128;
constexpr uint32_t kInt8 = 1, kInt32 = 5, kUint32 = 6, kMatrix = 14, kCompressed = 15;
constexpr uint32_t kFirstNumeric = 6, kLastNumeric = 15;  // classes of arrays: double to uint64
constexpr uint32_t kComplex = 0x800;
const char* const kGetAgain = "the file is damaged; get it again";

// Bytes of an element of a type; 0: no number.
uint64_t size_of(uint32_t type) {
  static constexpr uint8_t kSizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
  return type < sizeof kSizes ? kSizes[type] : 0;
}

struct Element {
  uint32_t type = 0;
  std::string_view data;
};

class Reader {
 public:
  // offset: of the bytes in what place names.
  Reader(std::string_view bytes, uint64_t offset, const std::string& place)
      : bytes_(bytes), offset_(offset), place_(place) {}

  bool done() const { return at_ >= bytes_.size(); }

  Element next() {
    uint32_t type = word(at_);
    uint64_t size = 0;
    if (type >> 16 != 0) {  // a small element: size, type and up to 4 bytes in 8 bytes
      size = type >> 16;
      type &= 0xffff;
      if (size > 4) refuse(here(), std::to_string(size) + " bytes", "at most 4", kGetAgain);
      if (bytes_.size() - at_ < 8) cut();
      const Element element{type, bytes_.substr(at_ + 4, size)};
      at_ += 8;
      return element;
    }
    size = word(at_ + 4);
    if (size > bytes_.size() - at_ - 8) cut();
    const Element element{type, bytes_.substr(at_ + 8, size)};
    // The data is padded to a multiple of 8 bytes, except what is compressed.
    const uint64_t padded = type == kCompressed ? size : (size + 7) / 8 * 8;
    at_ = std::min<uint64_t>(at_ + 8 + padded, bytes_.size());
    return element;
  }

  Element next(uint32_t type, const char* what) {
    const uint64_t begin = at_;
    const Element element = next();
    if (element.type != type) {
      at_ = begin;
      refuse(here(), "an element of type " + std::to_string(element.type), what, kGetAgain);
    }
    return element;
  }

  std::string here() const { return place_ + ": byte " + std::to_string(offset_ + at_); }

 private:
  uint32_t word(uint64_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < 4) cut();
    uint32_t value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  [[noreturn]] void cut() const {
    refuse(here(), "the end of the data", "more of it", "the file is cut short; get it again");
  }

  std::string_view bytes_;
  uint64_t offset_;
  const std::string& place_;
  uint64_t at_ = 0;
};

MatArray matrix(std::string_view bytes, uint64_t offset, const std::string& place) {
  Reader reader(bytes, offset, place);
  const Element flags = reader.next(kUint32, "the flags of an array");
  if (flags.data.size() != 8)
    refuse(reader.here(), std::to_string(flags.data.size()) + " bytes of flags", "8", kGetAgain);
  uint32_t word;
  std::memcpy(&word, flags.data.data(), sizeof word);
  const Element extents = reader.next(kInt32, "the dimensions of an array");
  MatArray array;
  for (size_t at = 0; at + 4 <= extents.data.size(); at += 4) {
    int32_t extent;
    std::memcpy(&extent, extents.data.data() + at, sizeof extent);
    if (extent < 0 || array.shape.size() == 32)
      refuse(reader.here(), "dimensions that are negative or more than 32", "fewer", kGetAgain);
    array.shape.push_back(extent);
  }
  array.name = reader.next(kInt8, "the name of an array").data;
  const uint32_t kind = word & 0xff;
  if (kind < kFirstNumeric || kind > kLastNumeric || word & kComplex) return array;
  const Element data = reader.next();
  const uint64_t size = size_of(data.type);
  if (size == 0 || data.data.size() % size != 0 || data.data.size() / size != array.count())
    refuse(reader.here(),
           std::to_string(data.data.size()) + " bytes of type " + std::to_string(data.type),
           std::to_string(array.count()) + " numbers as the dimensions of " + quoted(array.name) +
               " say",
           kGetAgain);
  array.type = data.type;
  array.data = data.data;
  return array;
}

template <class T>
double as_number(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return double(value);
}

}  // namespace

uint64_t MatArray::count() const {
  uint64_t count = 1;
  for (const int64_t extent : shape)
    if (__builtin_mul_overflow(count, uint64_t(extent), &count)) return UINT64_MAX;
  return count;
}

double MatArray::number(uint64_t i) const {
  const char* const at = data.data() + i * size_of(type);
  switch (type) {
    case 1:
      return as_number<int8_t>(at);
    case 2:
      return as_number<uint8_t>(at);
    case 3:
      return as_number<int16_t>(at);
    case 4:
      return as_number<uint16_t>(at);
    case 5:
      return as_number<int32_t>(at);
    case 6:
      return as_number<uint32_t>(at);
    case 7:
      return as_number<float>(at);
    case 9:
      return as_number<double>(at);
    case 12:
      return as_number<int64_t>(at);
    default:
      return as_number<uint64_t>(at);
  }
}

std::vector<MatArray> parse_mat(std::string_view bytes, uint64_t limit, const std::string& place) {
  if (bytes.size() < kHeader || bytes.substr(124, 4) != std::string_view("\0\1IM", 4))
    refuse(place + ": byte 124",
           quoted(bytes.size() < kHeader ? bytes.substr(0, 8) : bytes.substr(124, 4)),
           "'\\x00\\x01IM'",
           "name a MAT file of version 5, little-endian; MATLAB writes it with save -v7");
  std::vector<MatArray> arrays;
  Reader reader(bytes.substr(kHeader), kHeader, place);
  while (!reader.done()) {
    const std::string here = reader.here();
    const Element element = reader.next();
    if (element.type == kMatrix) {
      arrays.push_back(matrix(element.data, uint64_t(element.data.data() - bytes.data()), place));
    } else if (element.type == kCompressed) {
      const auto unpacked = std::make_shared<const std::string>(
          broch::archive::inflate(element.data, broch::archive::Wrapping::zlib, limit, here));
      limit -= unpacked->size();
      const std::string inside = here + ", unpacked";
      Reader packed(*unpacked, 0, inside);
      const Element inner = packed.next(kMatrix, "an array");
      arrays.push_back(matrix(inner.data, uint64_t(inner.data.data() - unpacked->data()), inside));
      arrays.back().unpacked = unpacked;
    }
  }
  return arrays;
}

}  // namespace datasets
