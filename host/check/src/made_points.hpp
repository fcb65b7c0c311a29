// made_points.hpp: data points to try transforms with.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/point.hpp"

namespace broch::check {

// A tensor, whose memory the points that are made of it share.
struct MadeTensor {
  const char* name;  // nullptr: none
  broch_dtype dtype;
  std::vector<int64_t> shape, strides;  // strides {}: compact
  std::shared_ptr<std::vector<std::byte>> memory;
  uint64_t offset = 0;  // of the first element, in bytes
};

class MadePoint {
 public:
  MadePoint(std::string what, std::vector<MadeTensor> tensors);
  const std::string& what() const { return what_; }
  // [any thread]
  runtime::Point make(uint64_t key) const;
  // The index of a tensor whose memory was written to; -1: none. [any thread]
  int changed() const;

 private:
  std::string what_;
  std::vector<MadeTensor> tensors_;
  std::vector<std::vector<std::byte>> originals_;
};

// Points as dataflows have them: numbers, images, encoded bytes, labels, with and without names.
std::vector<MadePoint> usual_points();
// Points for which a transform may have no use: none or many components, each dtype, empty and huge
// tensors, memory with gaps, special numbers.
std::vector<MadePoint> odd_points();

}  // namespace broch::check
