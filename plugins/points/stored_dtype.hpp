// stored_dtype.hpp: element types of files as dtypes of tensors.
#pragma once
#include <broch/value.h>

#include <broch/cpp/error.hpp>
#include <string>

#include "store/dtype.hpp"

namespace broch::points {

// Throws Error with the place for the types that no tensor of a model can have.
inline broch_dtype dtype_of(store::Dtype dtype, const std::string& place) {
  if (const broch_dtype found = store::tensor_dtype(dtype)) return found;
  const std::string name(store::dtype_name(dtype));
  throw broch::Error(BROCH_E_DATA_LOSS, place + ": found elements of type " + name +
                                            ", expected a dtype of tensors; convert them to " +
                                            (name[0] == 'F' ? "F32" : "I64") +
                                            " before they are saved");
}

}  // namespace broch::points
