// dtype.hpp: the element types of a safetensors file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broch/value.h"

namespace broch::store {

enum class Dtype : uint8_t {
  boolean,
  u8,
  i8,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64,
  f8_e4m3,
  f8_e5m2,
};

std::string_view dtype_name(Dtype dtype);  // "F32"
uint64_t dtype_size(Dtype dtype);          // bytes per element
std::optional<Dtype> dtype_named(std::string_view name);
// Of an element of a type that the specification of safetensors has and Broch has not; 0: it has
// none of this name either.
uint64_t foreign_bits(std::string_view name);
// The same type as a dtype of tensors, and back; 0 and nullopt: there is none.
broch_dtype tensor_dtype(Dtype dtype);
std::optional<Dtype> stored_dtype(broch_dtype dtype);
std::string dtype_list();  // "BOOL, U8, …", for messages

}  // namespace broch::store
