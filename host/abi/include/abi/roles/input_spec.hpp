// input_spec.hpp: an input signature, owned, and as the array that plugins read.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "broch/role/model.h"

namespace broch::abi {

struct InputSpec {
  std::string name;
  broch_dtype dtype = 0;
  std::vector<int64_t> shape;     // -1: unknown
  std::vector<std::string> dims;  // as long as shape; "": unnamed
};

// The same as the frozen C structs; valid as long as this object and the specs.
class SpecArray {
 public:
  explicit SpecArray(const std::vector<InputSpec>& specs);
  const broch_input_spec* data() const { return array_.data(); }
  uint32_t size() const { return static_cast<uint32_t>(array_.size()); }

 private:
  std::vector<std::vector<const char*>> dims_;
  std::vector<broch_input_spec> array_;
};

// Copies one input after checking it against those before it; throws CallError (INVALID_ARGUMENT).
// Name: not empty, unique, without ':', '/' and space. Rank at most 8, sizes -1 or more, known
// dtype; dimensions of one name agree where both are known.
InputSpec read_input_spec(const broch_input_spec& input, const std::vector<InputSpec>& before);

}  // namespace broch::abi
