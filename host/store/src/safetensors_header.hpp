// safetensors_header.hpp: the JSON header, read without recursion and without a document tree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/safetensors.hpp"

namespace broch::store {

inline constexpr uint64_t kLengthField = 8;  // bytes before the header
inline constexpr uint64_t kMaxHeader = 100'000'000;
inline constexpr size_t kMaxTensors = 1'000'000;
inline constexpr size_t kMaxDims = 8;
inline constexpr std::string_view kMetadataKey = "__metadata__";

struct TensorEntry {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // in the data section
  uint64_t end = 0;
};

struct Header {
  std::vector<TensorEntry> tensors;  // by position
  Metadata metadata;
};

// Checks everything that can be known without the data: limits, products, and that the tensors
// cover the `data_size` bytes without gap and overlap. Throws Error(checkpoint) at `place`.
Header parse_header(std::string_view json, uint64_t data_size, const std::string& place);

// JSON of the header, padded so that the data start at a multiple of 8, with its length field.
// Throws Error(data) for a name that is not UTF-8.
std::string header_text(const std::vector<TensorEntry>& tensors, const Metadata& metadata);

// Bytes of a tensor; false when the product overflows.
bool byte_size(Dtype dtype, const std::vector<int64_t>& shape, uint64_t& size);

}  // namespace broch::store
