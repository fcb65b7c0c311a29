// layer_cost.hpp: what a part of a model costs in one call of its tower function.
#pragma once
#include <cstdint>
#include <string>

namespace broch::tower {

// The part between two published names. Layers publish their result, so usually one layer.
struct LayerCost {
  std::string name;        // under which the result was published
  std::string output;      // dtype and shape of the result: "float32 (32, 10)"
  int64_t parameters = 0;  // elements of the trainable variables that the part asked for
  // Of the forward computation: operations in matrix products, convolutions and attention, where a
  // multiplication and an addition count as two. Others are not counted.
  uint64_t flops = 0;
  uint64_t bytes = 0;  // of all results of operators but views
};

}  // namespace broch::tower
