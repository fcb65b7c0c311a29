// checkpoint_difference.hpp: how much the variables of two checkpoints differ.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "store/checkpoint.hpp"

namespace broch::store {

struct VariableDifference {
  std::string name;
  std::string a, b;  // type_of each; "" if the checkpoint does not have it
  // If both have the same type:
  uint64_t elements = 0;
  uint64_t different_elements = 0, different_bits = 0;
  // |a - b|, and the same divided by max(|a|, |b|). NaN if exactly one of a and b is NaN.
  double largest_absolute = 0, largest_relative = 0;

  bool same_type() const { return a == b; }
};

// Sorted by name. Variables with equal bits are left out.
std::vector<VariableDifference> differences(const CheckpointContents& a,
                                            const CheckpointContents& b);

// For example "F32 (3, 4)".
std::string type_of(const TensorView& tensor);

}  // namespace broch::store
