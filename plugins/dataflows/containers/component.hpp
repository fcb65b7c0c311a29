// component.hpp: a component of a data point, as it was found in a file.
#pragma once
#include <broch/dlpack.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace containers {

inline constexpr broch_dl_type kUint8{BROCH_DL_UINT, 8, 1};
inline constexpr broch_dl_type kInt64{BROCH_DL_INT, 64, 1};
inline constexpr broch_dl_type kFloat32{BROCH_DL_FLOAT, 32, 1};
inline constexpr broch_dl_type kFloat64{BROCH_DL_FLOAT, 64, 1};
inline constexpr broch_dl_type kBool{BROCH_DL_BOOL, 8, 1};

inline bool same_type(broch_dl_type a, broch_dl_type b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

struct Component {
  broch_dl_type type = kUint8;
  std::vector<int64_t> shape;
  std::string_view borrowed;  // the elements, row-major and little-endian, in the bytes of the file
  std::string owned;          // instead, where the file has them in another form

  std::string_view bytes() const { return owned.empty() ? borrowed : owned; }
};

struct Named {
  std::string name;  // "" in a point without names
  Component component;
};

// A vector of bytes.
inline Component bytes_of(std::string_view bytes) {
  return {kUint8, {int64_t(bytes.size())}, bytes, {}};
}

template <class T>
Component values_of(broch_dl_type type, const std::vector<T>& values, std::vector<int64_t> shape) {
  Component made{type, std::move(shape), {}, {}};
  made.owned.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return made;
}
template <class T>
Component scalar_of(broch_dl_type type, T value) {
  return values_of<T>(type, {value}, {});
}

// No value: a dimension is negative, or the product is 2^63 or more.
std::optional<uint64_t> byte_count(broch_dl_type type, const std::vector<int64_t>& shape);

// The element type of a little-endian type string of NumPy, such as "<f4" or "|u1". No value: it
// has none in Broch.
std::optional<broch_dl_type> type_of(std::string_view descr);
// The reverse. Throws Error for bfloat16, which NumPy does not have.
std::string descr_of(broch_dl_type type);

}  // namespace containers
