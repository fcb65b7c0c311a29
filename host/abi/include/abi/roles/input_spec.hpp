// input_spec.hpp: the specification of a model's input, as a C++ struct and as the array for
// plugins.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "broch/role/model.h"

namespace broch::abi {

struct InputSpec {
  std::string name;
  broch_dtype dtype = 0;
  std::vector<int64_t> shape;     // -1: unknown size
  std::vector<std::string> dims;  // names of the dimensions, as many as in shape; "": unnamed
};

// The same as an array of C structs, which is valid as long as this object and `specs`.
class SpecArray {
 public:
  explicit SpecArray(const std::vector<InputSpec>& specs);
  const broch_input_spec* data() const { return array_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(array_.size()); }

 private:
  std::vector<std::vector<const char*>> dims_;
  std::vector<broch_input_spec> array_;
};

// Copies one input after checking it, also against the inputs before it. Throws CallError
// (INVALID_ARGUMENT). The name must not be empty, be unique and not contain ':', '/' or a space.
// The rank is at most 8, sizes are -1 or more, and the dtype is known. Names of dimensions are
// UTF-8, and those with the same name must have the same size where both sizes are known.
InputSpec read_input_spec(const broch_input_spec& input, const std::vector<InputSpec>& before);

}  // namespace broch::abi
