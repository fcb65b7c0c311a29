// shape_message.hpp: TensorFlow's TensorShapeProto.
#pragma once
#include "wire.hpp"

namespace broch::store {

// -1: a size that is not known.
inline Message shape_message(const std::vector<int64_t>& sizes) {
  Message shape;
  for (const int64_t size : sizes) {
    Message dimension;
    dimension.varint(1, static_cast<uint64_t>(size));
    shape.bytes(2, dimension.text());
  }
  return shape;
}

}  // namespace broch::store
