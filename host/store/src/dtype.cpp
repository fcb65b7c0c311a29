// dtype.cpp: names as the safetensors specification spells them; it has no complex128.
#include "store/dtype.hpp"

#include <array>

namespace broch::store {
namespace {

struct Entry {
  std::string_view name;
  uint64_t size;
  broch_dtype tensor;
};

// In the order of the enum.
constexpr std::array<Entry, 16> kEntries{{{"BOOL", 1, BROCH_BOOL},
                                          {"U8", 1, BROCH_UINT8},
                                          {"I8", 1, BROCH_INT8},
                                          {"I16", 2, BROCH_INT16},
                                          {"U16", 2, 0},
                                          {"F16", 2, BROCH_FLOAT16},
                                          {"BF16", 2, BROCH_BFLOAT16},
                                          {"I32", 4, BROCH_INT32},
                                          {"U32", 4, 0},
                                          {"F32", 4, BROCH_FLOAT32},
                                          {"C64", 8, BROCH_COMPLEX64},
                                          {"F64", 8, BROCH_FLOAT64},
                                          {"I64", 8, BROCH_INT64},
                                          {"U64", 8, 0},
                                          {"F8_E4M3", 1, 0},
                                          {"F8_E5M2", 1, 0}}};

const Entry& entry(Dtype dtype) { return kEntries.at(static_cast<size_t>(dtype)); }

}  // namespace

std::string_view dtype_name(Dtype dtype) { return entry(dtype).name; }

uint64_t dtype_size(Dtype dtype) { return entry(dtype).size; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (size_t i = 0; i < kEntries.size(); ++i)
    if (kEntries[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

uint64_t foreign_bits(std::string_view name) {
  if (name == "F8_E4M3FNUZ" || name == "F8_E5M2FNUZ" || name == "F8_E8M0") return 8;
  if (name == "F6_E2M3" || name == "F6_E3M2") return 6;
  return name == "F4" ? 4 : 0;
}

broch_dtype tensor_dtype(Dtype dtype) { return entry(dtype).tensor; }

std::optional<Dtype> stored_dtype(broch_dtype dtype) {
  for (size_t i = 0; i < kEntries.size(); ++i)
    if (dtype && kEntries[i].tensor == dtype) return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string dtype_list() {
  std::string list;
  for (const Entry& entry : kEntries) list.append(list.empty() ? "" : ", ").append(entry.name);
  return list;
}

}  // namespace broch::store
