// stored_dtype.hpp: element types of files as dtypes of tensors.
#pragma once
#include <broch/value.h>

#include <broch/cpp/error.hpp>
#include <string>

#include "store/dtype.hpp"

namespace broch::points {

// Throws Error with the place for the types that no tensor of a model can have.
inline broch_dtype dtype_of(store::Dtype dtype, const std::string& place) {
  using store::Dtype;
  switch (dtype) {
    case Dtype::boolean:
      return BROCH_BOOL;
    case Dtype::u8:
      return BROCH_UINT8;
    case Dtype::i8:
      return BROCH_INT8;
    case Dtype::i16:
      return BROCH_INT16;
    case Dtype::i32:
      return BROCH_INT32;
    case Dtype::i64:
      return BROCH_INT64;
    case Dtype::f16:
      return BROCH_FLOAT16;
    case Dtype::bf16:
      return BROCH_BFLOAT16;
    case Dtype::f32:
      return BROCH_FLOAT32;
    case Dtype::f64:
      return BROCH_FLOAT64;
    case Dtype::c64:
      return BROCH_COMPLEX64;
    default:
      throw broch::Error(BROCH_E_DATA_LOSS, place + ": found elements of type " +
                                                std::string(store::dtype_name(dtype)) +
                                                ", expected a dtype of tensors; convert them to "
                                                "I64 before they are saved");
  }
}

}  // namespace broch::points
