// json_data.hpp: elements in the JSON of a request, read into bytes, without a tree of millions of
// numbers.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::serve {

// An input whose elements are in the text.
struct JsonInput {
  std::string where;  // for messages
  runtime::TensorInfo info;
  std::span<std::byte> bytes;  // room for exactly its elements; of inputs without data: not used
  std::vector<std::string>* texts = nullptr;  // of kBytes, in place of bytes
};

// Reads the elements of each input, flat or nested as its shape says. inputs: by their order in the
// text, which parse_skeleton has accepted. Throws Refusal.
void parse_data(std::string_view text, std::span<const JsonInput> inputs);

}  // namespace broch::serve
