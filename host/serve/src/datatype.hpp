// datatype.hpp: the names that the protocol has for dtypes, and sizes of tensors.
#pragma once
#include <string>
#include <string_view>

#include "runtime/tensor.hpp"

namespace broch::serve {

// "FP32"; "" for a dtype that the protocol does not have.
std::string_view datatype_name(broch_dtype dtype);
// 0 for an unknown name.
broch_dtype datatype(std::string_view name);
// The names of those that a model can have, for messages.
std::string datatype_names();

// The bytes of all elements. Throws Refusal if the sizes are impossible. where: the tensor.
size_t bytes_of(const runtime::TensorInfo& info, const std::string& where);

}  // namespace broch::serve
