// component.cpp: sizes, and element types by the names that NumPy gives them.
#include "containers/component.hpp"

#include <broch/cpp/error.hpp>
#include <limits>

namespace containers {
namespace {

struct Known {
  const char* descr;
  broch_dl_type type;
};

constexpr Known kKnown[] = {
    {"<f4", kFloat32},
    {"<f8", kFloat64},
    {"<f2", {BROCH_DL_FLOAT, 16, 1}},
    {"|i1", {BROCH_DL_INT, 8, 1}},
    {"<i2", {BROCH_DL_INT, 16, 1}},
    {"<i4", {BROCH_DL_INT, 32, 1}},
    {"<i8", kInt64},
    {"|u1", kUint8},
    {"|b1", kBool},
    {"<c8", {BROCH_DL_COMPLEX, 64, 1}},
    {"<c16", {BROCH_DL_COMPLEX, 128, 1}},
};

}  // namespace

std::optional<uint64_t> byte_count(broch_dl_type type, const std::vector<int64_t>& shape) {
  uint64_t count = uint64_t(type.bits) / 8;
  bool empty = false;
  for (const int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0)
      empty = true;
    else if (__builtin_mul_overflow(count, uint64_t(extent), &count))
      return std::nullopt;
  }
  if (count > uint64_t(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return empty ? 0 : count;
}

std::optional<broch_dl_type> type_of(std::string_view descr) {
  for (const Known& known : kKnown)
    if (descr == known.descr) return known.type;
  return std::nullopt;
}

std::string descr_of(broch_dl_type type) {
  for (const Known& known : kKnown)
    if (same_type(type, known.type)) return known.descr;
  throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                     "found a component whose dtype NumPy does not have, expected one of float16, "
                     "float32, float64, int8 to int64, uint8, bool, complex64, complex128; convert "
                     "it before it is written");
}

}  // namespace containers
