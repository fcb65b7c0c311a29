// record.hpp: a data point as bytes, and back. Little-endian; only for this machine.
//
// key, number of components; for each: the length of its name plus 1 (0: none), the name, type,
// number of dimensions, shape, elements.
#pragma once
#include <broch/broch.hpp>
#include <cstring>
#include <string>

#include "../../points/numbers.hpp"

namespace broch::dataflows {

// Calls put(part, size) for the parts of a record.
template <class Put>
void write_record(const Point& point, Put put) {
  const auto number = [&](auto value) { put(reinterpret_cast<const char*>(&value), sizeof value); };
  number(point.key());
  number(point.size());
  for (uint32_t i = 0, n = point.size(); i < n; ++i) {
    const broch_dl_tensor view = point.view(i);
    const char* const name = point.name(i);
    const size_t length = name ? std::strlen(name) : 0;
    number(uint32_t(name ? length + 1 : 0));
    put(name, length);
    number(view.dtype);
    number(view.ndim);
    for (int32_t d = 0; d < view.ndim; ++d) number(view.shape[d]);
    put(points::bytes_of(view, "component " + std::to_string(i)),
        points::element_count(view) * points::element_bytes(view));
  }
}

inline uint64_t record_size(const Point& point) {
  uint64_t bytes = 0;
  write_record(point, [&](const char*, size_t size) { bytes += size; });
  return bytes;
}

inline std::string record_of(const Point& point) {
  std::string bytes;
  bytes.reserve(record_size(point));  // no more, since the record is kept
  write_record(point, [&](const char* part, size_t size) {
    if (size > 0) bytes.append(part, size);
  });
  return bytes;
}

// Reads the parts of a record. Throws Error where it is too short.
class RecordReader {
 public:
  explicit RecordReader(const std::string& bytes) : bytes_(bytes) {}
  const char* take(size_t n) {
    if (n > bytes_.size() - at_)
      throw Error(BROCH_E_DATA_LOSS, "a cached point: found " + std::to_string(bytes_.size()) +
                                         " bytes, expected more: delete the cache file");
    at_ += n;
    return bytes_.data() + at_ - n;
  }
  template <class T>
  T number() {
    T number;
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

// Calls each(name, tensor) for the components of a record; name: nullptr for none; tensor: in the
// memory of the record, not aligned. Returns the key, 0 for none. Throws Error.
template <class Each>
uint64_t read_record(const std::string& bytes, Each each) {
  const auto refuse = [](const std::string& found) {
    throw Error(BROCH_E_DATA_LOSS, "a cached point: found " + found + ": delete the cache file");
  };
  RecordReader reader(bytes);
  const auto key = reader.number<uint64_t>();
  for (uint32_t i = 0, n = reader.number<uint32_t>(); i < n; ++i) {
    const auto name_size = reader.number<uint32_t>();
    const std::string name =
        name_size ? std::string(reader.take(name_size - 1), name_size - 1) : "";
    const auto type = reader.number<broch_dl_type>();
    if (dtype_of(type) == 0) refuse("elements of no known dtype");
    const auto rank = reader.number<int32_t>();
    if (rank < 0 || rank > 64) refuse(std::to_string(rank) + " dimensions, expected 0 to 64");
    std::vector<int64_t> shape;
    uint64_t size = type.bits / 8u;
    for (int32_t d = 0; d < rank; ++d) {
      shape.push_back(reader.number<int64_t>());
      if (shape.back() < 0 || __builtin_mul_overflow(size, uint64_t(shape.back()), &size))
        refuse("a shape of more bytes than there can be");
    }
    each(name_size ? name.c_str() : nullptr,
         dl_view(const_cast<char*>(reader.take(size)), type, shape.data(), rank));
  }
  return key;
}

// Adds the components of a record to a point. Returns the key, 0 for none.
inline uint64_t add_record(const std::string& bytes, PointWriter& point) {
  return read_record(bytes, [&point](const char* name, const broch_dl_tensor& tensor) {
    void* const to = point.allocate(tensor.dtype, tensor.shape, size_t(tensor.ndim), name);
    std::memcpy(to, tensor.data, points::element_count(tensor) * points::element_bytes(tensor));
  });
}

}  // namespace broch::dataflows
