// safetensors_header.hpp: the JSON header, parsed without recursion and without a document tree.
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
  uint64_t foreign_bits = 0;  // of an element of another type, which cannot be read
};

struct Header {
  std::vector<TensorEntry> tensors;  // ordered by position in the file
  Metadata metadata;
};

// Checks everything that can be known without the data: limits, sizes, and that the tensors cover
// the `data_size` bytes without gaps and overlaps. Throws Error(checkpoint) at `where`.
Header parse_header(std::string_view json, uint64_t data_size, const std::string& where);

// The length field and the JSON of the header, padded so that the data start at a multiple of 8.
// Throws Error(data) for a name that is not UTF-8.
std::string header_text(const std::vector<TensorEntry>& tensors, const Metadata& metadata);

// Computes the size of a tensor in bytes. Returns false if the product overflows.
bool byte_size(Dtype dtype, const std::vector<int64_t>& shape, uint64_t& size);

}  // namespace broch::store
