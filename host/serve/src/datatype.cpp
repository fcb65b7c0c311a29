// datatype.cpp: one table of names.
#include "datatype.hpp"

#include <array>
#include <utility>

#include "base/text.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

constexpr std::array<std::pair<std::string_view, broch_dtype>, 10> kNames = {{
    {"BOOL", BROCH_BOOL},
    {"UINT8", BROCH_UINT8},
    {"INT8", BROCH_INT8},
    {"INT16", BROCH_INT16},
    {"INT32", BROCH_INT32},
    {"INT64", BROCH_INT64},
    {"FP16", BROCH_FLOAT16},
    {"FP32", BROCH_FLOAT32},
    {"FP64", BROCH_FLOAT64},
    {"BF16", BROCH_BFLOAT16},
}};
constexpr std::string_view kBytesName = "BYTES";

}  // namespace

std::string_view datatype_name(broch_dtype dtype) {
  if (dtype == kBytes) return kBytesName;
  for (const auto& [name, code] : kNames)
    if (code == dtype) return name;
  return {};
}

broch_dtype datatype(std::string_view name) {
  if (name == kBytesName) return kBytes;
  for (const auto& [known, code] : kNames)
    if (known == name) return code;
  return 0;
}

std::string datatype_names() {
  std::vector<std::string> names;
  for (const auto& [name, code] : kNames) names.emplace_back(name);
  return base::join(names, ", ");
}

size_t bytes_of(const runtime::TensorInfo& info, const std::string& where) {
  size_t bytes = runtime::dtype_size(info.dtype);
  for (const int64_t size : info.shape.span())
    if (size < 0 || __builtin_mul_overflow(bytes, size_t(size), &bytes))
      refuse(kBadRequest, where, "shape " + runtime::to_string(info.shape),
             "sizes that memory can have");
  return bytes;
}

}  // namespace broch::serve
