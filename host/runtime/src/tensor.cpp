// tensor.cpp: devices, dtypes and shapes, and their names.
#include "runtime/tensor.hpp"

#include "base/text.hpp"
#include "broch/dlpack.h"

namespace broch::runtime {
namespace {

struct Entry {
  const char* name;
  size_t size;
  broch_dl_type dl;
};

// By code; 0 is not a dtype.
constexpr std::array<Entry, 13> kDtypes{{{"no dtype", 0, {}},
                                         {"float32", 4, {BROCH_DL_FLOAT, 32, 1}},
                                         {"float64", 8, {BROCH_DL_FLOAT, 64, 1}},
                                         {"float16", 2, {BROCH_DL_FLOAT, 16, 1}},
                                         {"bfloat16", 2, {BROCH_DL_BFLOAT, 16, 1}},
                                         {"int8", 1, {BROCH_DL_INT, 8, 1}},
                                         {"int16", 2, {BROCH_DL_INT, 16, 1}},
                                         {"int32", 4, {BROCH_DL_INT, 32, 1}},
                                         {"int64", 8, {BROCH_DL_INT, 64, 1}},
                                         {"uint8", 1, {BROCH_DL_UINT, 8, 1}},
                                         {"bool", 1, {BROCH_DL_BOOL, 8, 1}},
                                         {"complex64", 8, {BROCH_DL_COMPLEX, 64, 1}},
                                         {"complex128", 16, {BROCH_DL_COMPLEX, 128, 1}}}};

const Entry& entry(broch_dtype dtype) {
  const auto code = static_cast<size_t>(dtype);
  return kDtypes[code < kDtypes.size() ? code : 0];
}

}  // namespace

std::string to_string(Device device) {
  return (device.type == BROCH_DL_CUDA ? "cuda:" : "cpu:") + std::to_string(device.index);
}

const char* dtype_name(broch_dtype dtype) { return entry(dtype).name; }

size_t dtype_size(broch_dtype dtype) { return entry(dtype).size; }

broch_dl_type to_dl(broch_dtype dtype) { return entry(dtype).dl; }

broch_dtype from_dl(broch_dl_type type) {
  for (size_t code = 1; code < kDtypes.size(); ++code) {
    const broch_dl_type& dl = kDtypes[code].dl;
    if (dl.code == type.code && dl.bits == type.bits && dl.lanes == type.lanes)
      return static_cast<broch_dtype>(code);
  }
  return 0;
}

int64_t Shape::elements() const {
  int64_t count = 1;
  for (const int64_t dim : span()) count *= dim;
  return count;
}

bool Shape::operator==(const Shape& other) const {
  return rank == other.rank && std::equal(dims.begin(), dims.begin() + rank, other.dims.begin());
}

std::string to_string(const Shape& shape) { return base::shape_text(shape.span()); }

std::string type_text(broch_dtype dtype, const Shape& shape) {
  return std::string(dtype_name(dtype)).append(" ").append(to_string(shape));
}

}  // namespace broch::runtime
