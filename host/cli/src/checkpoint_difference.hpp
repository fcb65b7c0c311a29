// checkpoint_difference.hpp: how far the variables of two checkpoints are from each other.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "store/checkpoint.hpp"

namespace broch::cli {

struct VariableDifference {
  std::string name;
  std::string a, b;  // type_of each; "": that checkpoint does not have it
  // Where both have the same type:
  uint64_t elements = 0;
  uint64_t different_elements = 0, different_bits = 0;
  // |a - b|, and that by the larger of |a| and |b|. Not a number where one of the two is none.
  double largest_absolute = 0, largest_relative = 0;

  bool same_type() const { return a == b; }
};

// By name; those that are equal to the last bit are left out.
std::vector<VariableDifference> differences(const store::CheckpointContents& a,
                                            const store::CheckpointContents& b);

// "F32 (3, 4)"
std::string type_of(const store::TensorView& tensor);

}  // namespace broch::cli
