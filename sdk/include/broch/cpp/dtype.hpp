// dtype.hpp: element types: their names, and what they are in DLPack and in C++.
#pragma once
#include <cstdint>
#include <string>

#include "../broch.h"
#include "error.hpp"

namespace broch {
inline namespace v0 {

// For example "float32"; "dtype 77" for a code that value.h does not define.
inline std::string dtype_name(broch_dtype dtype) {
  const char* const names[] = {"float32", "float64", "float16",   "bfloat16",
                               "int8",    "int16",   "int32",     "int64",
                               "uint8",   "bool",    "complex64", "complex128"};
  if (dtype >= BROCH_FLOAT32 && dtype <= BROCH_COMPLEX128) return names[dtype - 1];
  return "dtype " + std::to_string(dtype);
}

// The DLPack type of a dtype. Throws Error for an unknown dtype.
inline broch_dl_type dl_type(broch_dtype dtype) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return {BROCH_DL_FLOAT, 32, 1};
    case BROCH_FLOAT64:
      return {BROCH_DL_FLOAT, 64, 1};
    case BROCH_FLOAT16:
      return {BROCH_DL_FLOAT, 16, 1};
    case BROCH_BFLOAT16:
      return {BROCH_DL_BFLOAT, 16, 1};
    case BROCH_INT8:
      return {BROCH_DL_INT, 8, 1};
    case BROCH_INT16:
      return {BROCH_DL_INT, 16, 1};
    case BROCH_INT32:
      return {BROCH_DL_INT, 32, 1};
    case BROCH_INT64:
      return {BROCH_DL_INT, 64, 1};
    case BROCH_UINT8:
      return {BROCH_DL_UINT, 8, 1};
    case BROCH_BOOL:
      return {BROCH_DL_BOOL, 8, 1};
    case BROCH_COMPLEX64:
      return {BROCH_DL_COMPLEX, 64, 1};
    case BROCH_COMPLEX128:
      return {BROCH_DL_COMPLEX, 128, 1};
    default:
      throw Error(BROCH_E_INVALID_ARGUMENT, "there is no dtype " + std::to_string(dtype));
  }
}
// The dtype of a DLPack type; 0 if there is none.
inline broch_dtype dtype_of(broch_dl_type type) {
  for (broch_dtype dtype = BROCH_FLOAT32; dtype <= BROCH_COMPLEX128; ++dtype) {
    const broch_dl_type one = dl_type(dtype);
    if (one.code == type.code && one.bits == type.bits && one.lanes == type.lanes) return dtype;
  }
  return 0;
}
// The dtype of a C++ type; the value of the argument is not used.
inline broch_dtype dtype_of(float) { return BROCH_FLOAT32; }
inline broch_dtype dtype_of(double) { return BROCH_FLOAT64; }
inline broch_dtype dtype_of(int8_t) { return BROCH_INT8; }
inline broch_dtype dtype_of(int16_t) { return BROCH_INT16; }
inline broch_dtype dtype_of(int32_t) { return BROCH_INT32; }
inline broch_dtype dtype_of(int64_t) { return BROCH_INT64; }
inline broch_dtype dtype_of(uint8_t) { return BROCH_UINT8; }
inline broch_dtype dtype_of(bool) { return BROCH_BOOL; }
// Other types have none. Otherwise char and uint16_t, which C++ promotes, would count as int32_t.
template <class T>
broch_dtype dtype_of(T) = delete;

}  // namespace v0
}  // namespace broch
