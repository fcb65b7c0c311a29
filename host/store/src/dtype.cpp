// dtype.cpp: names as the safetensors specification spells them; it has no complex128.
#include "store/dtype.hpp"

#include <array>

namespace broch::store {
namespace {

struct Entry {
  std::string_view name;
  uint64_t size;
};

// In the order of the enum.
constexpr std::array<Entry, 14> kEntries{{{"BOOL", 1},
                                          {"U8", 1},
                                          {"I8", 1},
                                          {"I16", 2},
                                          {"U16", 2},
                                          {"F16", 2},
                                          {"BF16", 2},
                                          {"I32", 4},
                                          {"U32", 4},
                                          {"F32", 4},
                                          {"C64", 8},
                                          {"F64", 8},
                                          {"I64", 8},
                                          {"U64", 8}}};

const Entry& entry(Dtype dtype) { return kEntries.at(static_cast<size_t>(dtype)); }

}  // namespace

std::string_view dtype_name(Dtype dtype) { return entry(dtype).name; }

uint64_t dtype_size(Dtype dtype) { return entry(dtype).size; }

std::optional<Dtype> dtype_named(std::string_view name) {
  for (size_t i = 0; i < kEntries.size(); ++i)
    if (kEntries[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string dtype_list() {
  std::string list;
  for (const Entry& entry : kEntries) list.append(list.empty() ? "" : ", ").append(entry.name);
  return list;
}

}  // namespace broch::store
