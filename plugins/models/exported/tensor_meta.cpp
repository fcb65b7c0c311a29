// tensor_meta.cpp: dtypes and sizes as torch.export writes them.
#include <array>
#include <map>

#include "arrays/diagnostic.hpp"
#include "models/exported/program.hpp"

namespace exported {
namespace {

constexpr size_t kMostRank = 64;

struct TorchDtype {
  broch_dtype dtype;
  const char* name;
};
// By ScalarType of the schema.
constexpr std::array<TorchDtype, 14> kDtypes = {{{0, "unknown"},
                                                 {BROCH_UINT8, "uint8"},
                                                 {BROCH_INT8, "int8"},
                                                 {BROCH_INT16, "int16"},
                                                 {BROCH_INT32, "int32"},
                                                 {BROCH_INT64, "int64"},
                                                 {BROCH_FLOAT16, "float16"},
                                                 {BROCH_FLOAT32, "float32"},
                                                 {BROCH_FLOAT64, "float64"},
                                                 {0, "complex32"},
                                                 {BROCH_COMPLEX64, "complex64"},
                                                 {BROCH_COMPLEX128, "complex128"},
                                                 {BROCH_BOOL, "bool"},
                                                 {BROCH_BFLOAT16, "bfloat16"}}};

// "s40" of "Symbol('s40', positive=True, integer=True)", and "" of every other expression.
std::string symbol_of(const std::string& expression) {
  const std::string begin = "Symbol('";
  if (expression.compare(0, begin.size(), begin) != 0) return "";
  const size_t quote = expression.find('\'', begin.size());
  if (quote == std::string::npos) return "";
  // What follows must be the arguments of this call alone.
  const size_t close = expression.find(')', quote);
  if (close != expression.size() - 1) return "";
  return expression.substr(begin.size(), quote - begin.size());
}

Size size_of(const Json& json) {
  Size size;
  const std::string& tag = json.tag();
  if (tag == "as_int") {
    size.value = json["as_int"].integer();
    if (size.value < 0) json.refuse(std::to_string(size.value), "a size of 0 or more");
  } else if (tag == "as_expr") {
    const Json expression = json["as_expr"];
    size.symbol = symbol_of(expression["expr_str"].string());
    if (expression.has("hint") && expression["hint"].has("as_int"))
      size.hint = expression["hint"]["as_int"].integer();
  } else {
    json.refuse(arrays::quoted(tag), "as_int or as_expr");
  }
  return size;
}

}  // namespace

broch_dtype dtype_of_torch(int64_t number) {
  return number >= 0 && number < static_cast<int64_t>(kDtypes.size())
             ? kDtypes[static_cast<size_t>(number)].dtype
             : 0;
}

std::string torch_dtype_name(int64_t number) {
  static const std::map<int64_t, const char*> kOthers = {
      {28, "uint16"},          {29, "float8_e4m3fn"},  {30, "float8_e5m2"}, {31, "float8_e4m3fnuz"},
      {32, "float8_e5m2fnuz"}, {33, "float8_e8m0fnu"}, {34, "uint32"},      {35, "uint64"}};
  const auto other = kOthers.find(number);
  if (other != kOthers.end()) return other->second;
  return number >= 0 && number < static_cast<int64_t>(kDtypes.size())
             ? kDtypes[static_cast<size_t>(number)].name
             : "dtype " + std::to_string(number);
}

TensorMeta tensor_meta_of(const Json& json) {
  TensorMeta meta;
  meta.torch_dtype = json["dtype"].integer();
  meta.dtype = dtype_of_torch(meta.torch_dtype);
  json["sizes"].for_each(kMostRank, [&](const Json& size) { meta.sizes.push_back(size_of(size)); });
  meta.requires_grad = json.has("requires_grad") && json["requires_grad"].boolean();
  return meta;
}

}  // namespace exported
