// operators.hpp: what an operator of ATen becomes in ONNX.
#pragma once
#include "call.hpp"

namespace broch::onnx {

// nullptr: there is no counterpart. An operator that writes to its argument, such as aten::relu_,
// becomes the one that does not.
Translation find_translation(std::string_view name);

}  // namespace broch::onnx
